#include "scanner/linux/nested_pids.hpp"

#include "scanner/directory.hpp"
#include "scanner/linux/process_files.hpp"
#include "scanner/linux/procfs.hpp"

namespace reaper::scanner {

std::multimap<Pid, Pid> find_nested_pids(const ProcessTable& table) {
    std::multimap<Pid, Pid> nested;
    const auto pids = list_numbers_at(fd_of(table), ".");
    if (!pids) return nested;
    for (const Pid pid : *pids) {
        const auto process = open_process(table, pid);
        const auto status = process ? read_status(process->get()) : tl::unexpected(process.error());
        if (status && status->namespace_pids.size() > 1)
            nested.emplace(status->namespace_pids.back(), pid);
    }
    return nested;
}

std::vector<NestedPidMatch> find_nested_matches(const ProcessTable& table, const ClaimFile& file,
                                                const std::multimap<Pid, Pid>& nested) {
    std::vector<NestedPidMatch> nested_matches;
    for (const Claim& claim : file.claims) {
        for (auto [at, end] = nested.equal_range(claim.pid); at != end; ++at) {
            if (auto row = read_row(table, at->second))
                nested_matches.push_back({claim.pid, std::move(*row)});
        }
    }
    return nested_matches;
}

bool may_name_nested_process(const ClaimFile& file) {
    const bool of_bridge = file.kind == ClaimKind::bridge_pid ||
                           file.kind == ClaimKind::bridge_stdio_pid ||
                           file.kind == ClaimKind::headless_registry;
    const bool has_lock =
        file.lock.state != LockState::absent && always_locks(file.kind, file.name);
    const bool of_gateway =
        (file.kind == ClaimKind::gateway_pid || file.kind == ClaimKind::host_record) && !has_lock;
    const bool is_marker = file.kind == ClaimKind::update_marker;
    return (of_bridge || of_gateway || is_marker) && !file.claims.empty() &&
           file.claims.front().pid > 0;
}

}  // namespace reaper::scanner
