#include "scanner/linux/namesakes.hpp"

#include "scanner/linux/directory.hpp"
#include "scanner/linux/process_files.hpp"

namespace reaper::scanner {

std::multimap<Pid, Pid> find_nested(const Procfs& procfs) {
    std::multimap<Pid, Pid> nested;
    const auto pids = list_numbers_at(procfs.fd(), ".");
    if (!pids) return nested;
    for (const Pid pid : *pids) {
        const auto process = open_process(procfs, pid);
        const auto status = process ? read_status(process->get()) : tl::unexpected(process.error());
        if (status && status->namespace_pids.size() > 1) nested.emplace(status->namespace_pids.back(), pid);
    }
    return nested;
}

std::vector<Namesake> namesakes_of(const Procfs& procfs, const ClaimFile& file, const std::multimap<Pid, Pid>& nested) {
    std::vector<Namesake> namesakes;
    for (const Claim& claim : file.claims) {
        for (auto [at, end] = nested.equal_range(claim.pid); at != end; ++at) {
            if (auto row = read_row(procfs, at->second)) namesakes.push_back({claim.pid, std::move(*row)});
        }
    }
    return namesakes;
}

bool has_namesakes(const ClaimFile& file) {
    const bool of_bridge = file.kind == ClaimKind::bridge_pid || file.kind == ClaimKind::bridge_stdio_pid ||
                           file.kind == ClaimKind::headless_registry;
    const bool of_gateway = file.kind == ClaimKind::gateway_pid && file.lock.state == LockState::absent;
    return (of_bridge || of_gateway) && !file.claims.empty() && file.claims.front().pid > 0;
}

}  // namespace reaper::scanner
