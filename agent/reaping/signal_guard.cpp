#include "agent/reaping/signal_guard.hpp"

#include <unistd.h>

#include <algorithm>
#include <string>

#include "scanner/machine.hpp"

namespace reaper::agent {

namespace {

using scanner::Pid;

tl::unexpected<Error> refusal(Pid pid, std::string_view why) {
    return failure(std::errc::operation_canceled, why, "pid " + std::to_string(pid));
}

}  // namespace

Result<void> SignalGuard::admit(Pid pid) const {
    if (pid <= 1) return refusal(pid, "signal init or a group,");
    if (pid == getpid()) return refusal(pid, "signal this program itself,");
    if (!own_ancestors_) {
        return refusal(pid, "tell own ancestors (" + describe(own_ancestors_.error()) + ") from");
    }
    if (std::ranges::find(*own_ancestors_, pid) != own_ancestors_->end()) {
        return refusal(pid, "signal an ancestor of this program,");
    }
    return {};
}

Result<std::vector<Pid>> read_own_ancestors(const scanner::ProcessTable& table) {
    const auto self = scanner::read_row(table, getpid());
    if (!self) return tl::unexpected(self.error());
    // In a /proc of another pid namespace this number is another process, with other ancestors.
    if (self->ppid != getppid()) {
        return failure(std::errc::invalid_argument, "find this program in", table.name());
    }
    std::vector<Pid> ancestors;
    for (Pid pid = self->ppid; pid > 1;) {
        if (std::ranges::find(ancestors, pid) != ancestors.end())
            break;  // re-used while reading: a ring
        ancestors.push_back(pid);
        const auto parent = scanner::read_parent(table, pid);
        if (!parent) return tl::unexpected(parent.error());
        pid = *parent;
    }
    return ancestors;
}

SignalGuard make_signal_guard() {
    const auto table = scanner::ProcessTable::open();
    return SignalGuard(table ? read_own_ancestors(*table) : tl::unexpected(table.error()));
}

}  // namespace reaper::agent
