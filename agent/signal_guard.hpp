// Whom no plan can ever make this program signal. Both kinds of ProcessControl ask it first, so that a dry run refuses
// what a real run refuses.
#pragma once

#include <vector>

#include "scanner/identity.hpp"
#include "scanner/process_table.hpp"
#include "scanner/result.hpp"

namespace reaper::agent {

class SignalGuard {
   public:
    // Ancestors that could not be read refuse everybody: any target might be one of them.
    explicit SignalGuard(Result<std::vector<scanner::Pid>> own_ancestors) : own_ancestors_(std::move(own_ancestors)) {}

    // operation_canceled: pid <= 1, this process, one of its ancestors, or nobody knows.
    [[nodiscard]] Result<void> admit(scanner::Pid pid) const;

   private:
    Result<std::vector<scanner::Pid>> own_ancestors_;
};

// Parent first, without pid 1 and without what lies outside this pid namespace. Read once: whoever adopts this process
// later is an ancestor already. Fails when `procfs` shows another pid namespace, or hides an ancestor whose
// handle does not tell its parent either (before Linux 6.13).
[[nodiscard]] Result<std::vector<scanner::Pid>> read_own_ancestors(const scanner::Procfs& procfs);

// A guard for this process, from /proc.
[[nodiscard]] SignalGuard make_signal_guard();

}  // namespace reaper::agent
