// Everything that a process of `run` is to end: its children, born or adopted, and all below them.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "agent/kin.hpp"
#include "agent/options.hpp"
#include "agent/own_cgroup.hpp"
#include "agent/run_successor.hpp"
#include "scanner/fd.hpp"
#include "scanner/process_table.hpp"
#include "scanner/result.hpp"

namespace reaper::agent {

class RunTree {
   public:
    // This process has to be a child subreaper, and single-threaded. `mark` is in the helper's environment. `strangers`: children that it
    // had before; they, and whoever is below them, are left alone. The others outlive this.
    RunTree(const scanner::Procfs& procfs, const std::optional<OwnCgroup>& cgroup, const Options& options,
            std::string mark, std::set<scanner::Pid> strangers = {});

    void set_helper(scanner::Pid pid) { helper_ = pid; }

    // For poll(2): readable once a child has ended, until collect(). SIGCHLD is blocked for it.
    [[nodiscard]] int children() const { return children_.get(); }
    // Clears away the children that have ended.
    void clear_away() { std::ignore = reap(); }
    // The same. True: nobody is left, as whoever loses his parent becomes a child of this process.
    [[nodiscard]] bool collect();
    // As a shell tells it, once collect() has seen it.
    [[nodiscard]] std::optional<int> helper_status() const { return helper_status_; }

    // TERM to everybody, the helper first; its family's grace, and more while it writes a database; then KILL. Returns when nobody is
    // left, or only those that cannot be ended.
    void end();
    // As end(), where the other process of `run` is dead: should this one be killed as well, a successor goes on.
    void end_alone();

   private:
    [[nodiscard]] bool reap();
    [[nodiscard]] std::vector<scanner::Pid> read_members() const;
    [[nodiscard]] Result<bool> is_ours(scanner::Pid pid) const;
    [[nodiscard]] bool collect_until(std::chrono::steady_clock::time_point moment);
    void go_on();
    void succeed(Kin kin);

    const scanner::Procfs& procfs_;
    const std::optional<OwnCgroup>& cgroup_;
    const Options& options_;
    std::string mark_;
    std::set<scanner::Pid> strangers_;
    Fd children_;
    std::optional<scanner::Pid> helper_;
    std::optional<int> helper_status_;
    std::optional<Kin> kin_;              // of a successor: in place of its own children
    std::optional<Successor> successor_;  // is not one of the members
    std::chrono::steady_clock::time_point began_;
};

}  // namespace reaper::agent
