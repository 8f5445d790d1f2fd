#include "agent/program.hpp"

#include <unistd.h>

#include <fmt/format.h>

#include "scanner/machine.hpp"
#include "scanner/pid_handle.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

namespace {

// no_such_process: whoever has that pid has exited, or nobody has it.
Result<std::string> identity_of(scanner::Pid pid) {
    const auto handle = scanner::PidHandle::open(pid);
    if (!handle) return tl::unexpected(handle.error());
    const auto procfs = scanner::Procfs::open();
    if (!procfs) return tl::unexpected(procfs.error());
    const auto place = scanner::read_place(*procfs);
    if (!place) return tl::unexpected(place.error());
    const auto row = scanner::read_row(*procfs, pid);
    if (!row) return tl::unexpected(row.error());
    if (handle->exited()) return failure(std::errc::no_such_process, "look at", "who has exited");
    return to_string(scanner::Identity{place->boot_id, place->pid_namespace, pid, row->start_ticks, handle->inode()});
}

bool is_there(scanner::Pid pid) {
    return ::access(fmt::format("/proc/{}", pid).c_str(), F_OK) == 0;
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
