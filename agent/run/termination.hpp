// How a `run` ends what belongs to it, side by side: TERM to each process when it is found, to a
// launcher when what it runs has ended, the grace of its family, more while it writes a database,
// then KILL, all by the same code as a sweep.
// With a cgroup, all that still forks then is ended at once.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/cli/options.hpp"
#include "agent/reaping/process_control.hpp"
#include "agent/reaping/target.hpp"
#include "agent/run/cgroup.hpp"
#include "agent/run/launchers.hpp"
#include "agent/run/nested_runs.hpp"
#include "policy/rules/rules.hpp"
#include "scanner/activity.hpp"
#include "scanner/model/result.hpp"
#include "scanner/pid_handle.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

// True if there were too few descriptors, or too little memory.
[[nodiscard]] bool is_want(const Error& error);

struct RunEndParts {
    const scanner::ProcessTable& table;
    const std::optional<OwnCgroup>& cgroup;
    const ScopeOptions& options;
    // Tells whether the process that has that pid belongs to this `run`. Asked while a handle of it
    // is held, before each signal.
    std::function<Result<bool>(scanner::Pid)> is_ours;
    // The helper, as long as it has not ended, and its argv as it was started: for a launcher that
    // cannot be looked at.
    std::optional<scanner::Pid> helper = {};
    std::vector<std::string> started_as = {};
};

// Holds no descriptor of any process between two looks, so that it does not matter how many there
// are.
class RunEnd : private Verifier, private DecisionLog, private Progress {
   public:
    using Clock = ReaperTarget::Clock;

    // The grace runs from `began` on. What `parts` refers to outlives this.
    RunEnd(RunEndParts parts, Clock::time_point began);

    // Sends TERM to those of `members` that got none yet, in this order; not to those of another
    // `run`, which does that itself, nor to launchers, which wait for what is below them. One that
    // cannot be looked at, or is not of this `run`, is left to the next call.
    void begin_new(const std::vector<scanner::Pid>& members);
    // To be called after that where the members could not be read: for want of descriptors or
    // memory, which is no sign that none is left.
    void note_unread(const Error& error) { could_not_look_ |= is_want(error); }
    // To be called after that, at every look. Sends KILL to those whose time is over. False: what
    // is left cannot be ended.
    [[nodiscard]] bool advance();
    // Returns when to look again.
    [[nodiscard]] Clock::time_point next() const;

   private:
    using Member = std::pair<const scanner::Pid, ReaperTarget>;
    using Started = std::pair<scanner::Pid, std::uint64_t>;  // with its start ticks

    [[nodiscard]] Result<std::optional<std::string>> objection(const Target& target) override;
    // A `run` keeps no history, and shows nothing.
    [[nodiscard]] Result<void> about_to_signal(const Target&, Signal) override { return {}; }
    void ended(const Target&, const Outcome&) override {}
    void waiting(std::size_t, std::size_t, std::chrono::milliseconds) override {}
    [[nodiscard]] Result<scanner::Activity> activity_of(scanner::Pid pid);
    template <class T>
    [[nodiscard]] Result<T> note_want(Result<T> result);
    [[nodiscard]] Descendants find_new_launchers(const ProcessSet& processes);
    [[nodiscard]] ReaperTarget& add_member(scanner::Pid pid, const ProcessView& view);
    void begin_member(scanner::Pid pid, const ProcessView& view);
    void begin_launcher(scanner::Pid pid, const ProcessView& view,
                        const std::vector<scanner::Pid>& below);
    [[nodiscard]] bool is_waited_for(const Started& process) const;
    void end_or_resume_run(scanner::Pid pid, const ProcessSet& processes);
    void forget_ended(const ProcessSet& processes);
    void grant_graces();
    void grant_grace(ReaperTarget& member, const policy::FamilyRule& family);
    [[nodiscard]] bool has_time(const Member& member);
    [[nodiscard]] bool all_had_their_time();
    [[nodiscard]] Clock::time_point grace_ends() const;

    RunEndParts parts_;
    std::unique_ptr<ProcessControl> control_;
    ReaperParts reaper_parts_;
    ReaperTimes times_;
    std::optional<policy::Rules> rules_;  // read when they are needed
    std::optional<policy::Rules> launcher_rules_;
    std::map<scanner::Pid, ReaperTarget> members_;
    std::vector<scanner::Pid> without_grace_;  // got TERM, but no grace yet
    Clock::time_point began_;
    std::optional<Clock::time_point> grace_ends_;  // of all whose grace is known
    Clock::time_point cap_ends_;
    Clock::time_point progress_;
    bool could_not_look_ = false;    // for want of descriptors or memory: to be done again
    bool another_run_ends_ = false;  // a process, which may take longer
};

}  // namespace reaper::agent
