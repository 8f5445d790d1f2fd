// The processes that no plan can make this program signal. Both kinds of ProcessControl ask it
// first, so that a dry run refuses what a real run refuses.
#pragma once

#include <vector>

#include "scanner/model/identity.hpp"
#include "scanner/model/result.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

class SignalGuard {
   public:
    // When the ancestors could not be read, refuses every pid: any target might be one of them.
    explicit SignalGuard(Result<std::vector<scanner::Pid>> own_ancestors)
        : own_ancestors_(std::move(own_ancestors)) {}

    // Fails with operation_canceled for pid <= 1, this process, its ancestors, and for all while
    // those are not known.
    [[nodiscard]] Result<void> admit(scanner::Pid pid) const;

   private:
    Result<std::vector<scanner::Pid>> own_ancestors_;
};

// Reads the ancestors of this process, parent first, without pid 1 and without those outside this
// pid namespace. Once is enough: a process that adopts this one later is an ancestor already. Fails
// when `table` shows another pid namespace, or hides an ancestor whose handle does not tell its
// parent either (before Linux 6.13).
[[nodiscard]] Result<std::vector<scanner::Pid>> read_own_ancestors(
    const scanner::ProcessTable& table);

// Makes a guard for this process, from /proc.
[[nodiscard]] SignalGuard make_signal_guard();

}  // namespace reaper::agent
