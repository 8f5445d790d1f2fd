// Everything that a process of `run` is to end: its children, born or adopted, and all below them.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "agent/kin.hpp"
#include "agent/options.hpp"
#include "agent/own_cgroup.hpp"
#include "agent/reaper.hpp"
#include "agent/reaper_target.hpp"
#include "agent/run_successor.hpp"
#include "policy/rules.hpp"
#include "scanner/fd.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

class RunTree {
   public:
    // This process has to be a child subreaper, and single-threaded. `mark` is in the helper's environment. The others outlive this.
    RunTree(const scanner::Procfs& procfs, const std::optional<OwnCgroup>& cgroup, const Options& options,
            std::string mark);

    void set_helper(scanner::Pid pid) { helper_ = pid; }

    // For poll(2): readable once a child has ended, until collect(). SIGCHLD is blocked for it.
    [[nodiscard]] int children() const { return children_.get(); }
    // Clears away the children that have ended. True: nobody is left, as whoever loses his parent becomes a child of this process.
    [[nodiscard]] bool collect();
    // As a shell tells it, once collect() has seen it.
    [[nodiscard]] std::optional<int> helper_status() const { return helper_status_; }

    // TERM to everybody, the helper first; its family's grace, and more while it writes a database; then KILL. Returns when nobody is
    // left, or only those that cannot be ended.
    void end();
    // As end(), where the other process of `run` is dead: should this one be killed as well, a successor goes on.
    void end_alone();

   private:
    struct Grace {
        std::chrono::milliseconds term{};
        std::chrono::milliseconds cap{};
    };

    [[nodiscard]] Grace grace_of(scanner::Pid pid) const;
    void grant_grace(Target& target);
    [[nodiscard]] std::vector<scanner::Pid> read_members() const;
    [[nodiscard]] bool end_those_there(const ReaperParts& parts);
    void go_on();
    void succeed(Kin kin);

    const scanner::Procfs& procfs_;
    const std::optional<OwnCgroup>& cgroup_;
    const Options& options_;
    std::string mark_;
    Fd children_;
    std::optional<scanner::Pid> helper_;
    std::optional<int> helper_status_;
    std::optional<Kin> kin_;              // of a successor: in place of its own children
    std::optional<Successor> successor_;  // is not one of the members
    std::optional<policy::Rules> rules_;  // read when they are needed
    ReaperTarget::Clock::time_point began_;
    ReaperTarget::Clock::time_point grace_ends_;
};

}  // namespace reaper::agent
