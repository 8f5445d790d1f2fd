// Everything that a process of `run` is to end: its children, born or adopted, and all below them.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "agent/cli/options.hpp"
#include "agent/run/cgroup.hpp"
#include "scanner/fd.hpp"
#include "scanner/model/result.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

class RunTree {
   public:
    // This process has to be a child subreaper, and single-threaded. It had no
    // children before: whatever is below it is to be ended. `program`: the argv of the helper. The
    // references outlive this.
    RunTree(const scanner::ProcessTable& table, const std::optional<OwnCgroup>& cgroup,
            const ScopeOptions& options, const std::vector<std::string>& program);

    void set_helper(scanner::Pid pid) { helper_ = pid; }

    // For poll(2): readable once a child has ended, until collect(). SIGCHLD is blocked for it.
    [[nodiscard]] int children() const { return children_.get(); }
    // Waits for the children that have ended, so that they leave no zombies.
    void collect_zombies() { std::ignore = collect(); }
    // The same. True: no process is left, as one that loses its parent becomes a child of this one.
    [[nodiscard]] bool collect();
    // Returns it as a shell does, once collect() has seen it.
    [[nodiscard]] std::optional<int> helper_status() const { return helper_status_; }

    // Sends TERM to all, the helper first, but launchers last; then waits for the grace of each,
    // and longer while it writes a database; then sends KILL. Returns when no process is left that
    // can be ended.
    void end();

   private:
    [[nodiscard]] Result<std::vector<scanner::Pid>> read_members() const;
    [[nodiscard]] std::vector<scanner::Pid> list_helper_and_below() const;
    [[nodiscard]] Result<bool> is_ours(scanner::Pid pid) const;
    [[nodiscard]] bool collect_until(std::chrono::steady_clock::time_point moment);

    const scanner::ProcessTable& table_;
    const std::optional<OwnCgroup>& cgroup_;
    const ScopeOptions& options_;
    const std::vector<std::string>& program_;
    Fd children_;
    std::optional<scanner::Pid> helper_;
    std::optional<int> helper_status_;
};

}  // namespace reaper::agent
