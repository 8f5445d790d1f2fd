#include "agent/system/process_ref.hpp"

#include <unistd.h>

#include "scanner/machine.hpp"
#include "scanner/pid_handle.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

namespace {

// Fails with no_such_process when the process has exited, also when another one has its pid.
Result<std::string> identity_of(scanner::Pid pid) {
    const auto handle = scanner::PidHandle::open(pid);
    if (!handle) return tl::unexpected(handle.error());
    const auto table = scanner::ProcessTable::open();
    if (!table) return tl::unexpected(table.error());
    const auto place = scanner::read_place(*table);
    if (!place) return tl::unexpected(place.error());
    const auto stat = scanner::read_stat(*table, pid);
    if (!stat) return tl::unexpected(stat.error());
    if (handle->exited())
        return failure(std::errc::no_such_process, "look at", "a process that has exited");
    return to_string(scanner::Identity{place->boot_id, place->pid_namespace, pid, stat->start_ticks,
                                       handle->inode()});
}

// One that cannot be read is there.
bool is_there(scanner::Pid pid) {
    const auto table = scanner::ProcessTable::open();
    if (!table) return false;
    const auto row = scanner::read_short_row(*table, pid);
    return row || row.error().code != std::errc::no_such_process;
}

}  // namespace

Program this_program() {
    return {::getpid(), identity_of(::getpid()).value_or("")};
}

bool still_runs(const Program& program) {
    const auto now = identity_of(program.pid);
    if (!now) return now.error().code != std::errc::no_such_process && is_there(program.pid);
    return program.identity.empty() || program.identity == *now;
}

}  // namespace reaper::agent
