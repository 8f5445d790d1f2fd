#include "scanner/init_state.hpp"

#include "scanner/directory.hpp"
#include "scanner/linux/process_files.hpp"
#include "scanner/linux/procfs.hpp"
#include "scanner/machine.hpp"
#include "scanner/read_file.hpp"

namespace reaper::scanner {

InitState read_init(const ProcessTable& table) {
    constexpr std::size_t kStatusLimit = 64 * 1024;
    InitState init;
    if (auto stat = read_stat(table, 1)) init.name = std::move(stat->comm);
    const auto status = read_at(fd_of(table), "1/status", kStatusLimit);
    if (status) init.child_signal = parse_child_signal(status->bytes);
    return init;
}

bool awaits_init(const ProcessTable& table, Pid pid, std::uint64_t start_ticks) {
    const auto stat = read_stat(table, pid);
    if (!stat || stat->state != 'Z' || stat->ppid != 1 || stat->start_ticks != start_ticks)
        return false;
    const auto status = open_process(table, pid).and_then([](const Fd& process) {
        return read_status(process.get());
    });
    return status && status->tracer == 0;
}

}  // namespace reaper::scanner
