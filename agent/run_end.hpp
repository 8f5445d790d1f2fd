// How those who belong to a `run` are ended, side by side: TERM to each as it comes, its family's grace, more while it writes a
// database, then KILL; with a cgroup, all at once who still fork then.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "agent/options.hpp"
#include "agent/own_cgroup.hpp"
#include "agent/patience.hpp"
#include "agent/process_control.hpp"
#include "agent/run_crowd.hpp"
#include "policy/rules.hpp"
#include "scanner/activity.hpp"
#include "scanner/pid_handle.hpp"
#include "scanner/process_table.hpp"
#include "scanner/result.hpp"

namespace reaper::agent {

struct RunEndParts {
    const scanner::Procfs& procfs;
    const std::optional<OwnCgroup>& cgroup;
    const Options& options;
    // Does whoever has that pid belong to this `run`? Asked while a handle of him is held, before each signal.
    std::function<Result<bool>(scanner::Pid)> is_ours;
};

// Between two looks it holds no descriptor of anybody, so that it does not matter how many there are.
class RunEnd {
   public:
    using Clock = std::chrono::steady_clock;

    // The grace runs from `began` on. What `parts` refers to outlives this.
    RunEnd(RunEndParts parts, Clock::time_point began);

    // TERM to those of them who have not been told; not to those of another `run`, which does that itself.
    void tell(const std::vector<scanner::Pid>& members);
    // To be called after that, at every look. KILL to those whose time is over. False: who is left cannot be ended.
    [[nodiscard]] bool finish();
    // When to look again.
    [[nodiscard]] Clock::time_point next() const;

   private:
    struct Told {
        std::uint64_t start_ticks = 0;
        bool has_grace = false;  // it has been read up
        Clock::time_point deadline;
        Clock::time_point cap;
        Patience patience;
        bool extended = false;
        bool killed = false;
    };
    using Entry = std::pair<const scanner::Pid, Told>;

    [[nodiscard]] std::optional<scanner::PidHandle> hold(scanner::Pid pid);
    [[nodiscard]] std::optional<scanner::Activity> activity_of(scanner::Pid pid);
    void tell_one(scanner::Pid pid, const Seen& seen);
    void care_for_run(scanner::Pid pid, const Crowd& crowd);
    void forget_ended(const Crowd& crowd);
    void grant_grace(scanner::Pid pid, Told& told);
    void end_overdue(scanner::Pid pid, Told& told);
    [[nodiscard]] bool has_time(const Entry& entry);
    [[nodiscard]] bool all_had_their_time();
    [[nodiscard]] Clock::time_point grace_ends() const;

    RunEndParts parts_;
    std::unique_ptr<ProcessControl> control_;
    std::optional<policy::Rules> rules_;  // read when they are needed
    std::map<scanner::Pid, Told> told_;
    Clock::time_point began_;
    std::optional<Clock::time_point> grace_ends_;  // of all whose grace is known
    Clock::time_point cap_ends_;
    Clock::time_point progress_;
    bool could_not_look_ = false;    // for want of descriptors or memory: to be done again
    bool another_run_ends_ = false;  // somebody, who may take longer
};

}  // namespace reaper::agent
