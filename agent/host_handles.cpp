#include "agent/host_handles.hpp"

#include <fmt/format.h>

namespace reaper::agent {

using scanner::Pid;
using scanner::PidHandle;

namespace {

// no_such_process: the host that was seen has died, whoever has its pid now.
Result<PidHandle> open_verified(const scanner::Procfs& procfs, const WatchedHost& host) {
    auto handle = PidHandle::open(host.pid);
    if (!handle) return handle;
    const auto row = scanner::read_row(procfs, host.pid);
    if (!row) return tl::unexpected(row.error());
    if (row->start_ticks != host.start_ticks)
        return failure(std::errc::no_such_process, "watch", "pid " + std::to_string(host.pid));
    return handle;
}

}  // namespace

void HostHandles::watch(const scanner::Procfs& procfs, const WatchedHost& host, std::size_t most,
                        std::map<Key, Watched>& now) {
    const Key key{host.pid, host.start_ticks};
    if (const auto known = watched_.find(key); known != watched_.end()) {
        now.emplace(key, Watched{std::move(known->second.handle), host.members});
        watched_.erase(known);
        return;
    }
    auto handle = now.size() >= most
                      ? failure(std::errc::too_many_files_open, "open a handle of", fmt::format("pid {}", host.pid))
                      : open_verified(procfs, host);
    if (handle) {
        now.emplace(key, Watched{std::move(*handle), host.members});
    } else if (handle.error().code == std::errc::no_such_process) {
        bereaved_.insert(host.members.begin(), host.members.end());
    } else {
        unwatched_.insert(host.pid);
        complaint_ = describe(handle.error());
    }
}

// Whom the look did not see any more may have died since the one before: its members are looked at all the same.
void HostHandles::update(const scanner::Procfs& procfs, const std::vector<WatchedHost>& hosts, std::size_t most) {
    std::map<Key, Watched> now;
    unwatched_.clear();
    complaint_.clear();
    for (const WatchedHost& host : hosts) watch(procfs, host, most, now);
    for (const auto& [key, left] : watched_) {
        if (left.handle.exited()) bereaved_.insert(left.members.begin(), left.members.end());
    }
    watched_ = std::move(now);
}

void HostHandles::add_to(std::vector<pollfd>& descriptors) const {
    for (const auto& [key, host] : watched_) descriptors.push_back({host.handle.raw(), POLLIN, 0});
}

std::set<Pid> HostHandles::take_bereaved() {
    std::vector<pollfd> descriptors;
    add_to(descriptors);
    if (::poll(descriptors.data(), descriptors.size(), 0) > 0) {
        auto descriptor = descriptors.begin();
        for (auto host = watched_.begin(); host != watched_.end(); ++descriptor) {
            if (descriptor->revents == 0) {
                ++host;
                continue;
            }
            bereaved_.insert(host->second.members.begin(), host->second.members.end());
            host = watched_.erase(host);
        }
    }
    return std::exchange(bereaved_, {});
}

}  // namespace reaper::agent
