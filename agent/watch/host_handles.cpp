#include "agent/watch/host_handles.hpp"

#include <fmt/format.h>

#include "scanner/machine.hpp"

namespace reaper::agent {

using scanner::Pid;
using scanner::PidHandle;

namespace {

// Fails with no_such_process when the host has exited, also when another process has its pid now.
Result<PidHandle> open_verified(const scanner::ProcessTable& table, const WatchedHost& host) {
    auto handle = PidHandle::open(host.pid);
    if (!handle) return handle;
    const auto stat = scanner::read_stat(table, host.pid);
    if (!stat) return tl::unexpected(stat.error());
    if (stat->start_ticks != host.start_ticks)
        return failure(std::errc::no_such_process, "watch", "pid " + std::to_string(host.pid));
    return handle;
}

}  // namespace

void HostHandles::watch(const scanner::ProcessTable& table, const WatchedHost& host,
                        std::size_t most, std::map<Key, Watched>& now) {
    const Key key{host.pid, host.start_ticks};
    if (const auto known = watched_.find(key); known != watched_.end()) {
        now.emplace(key, Watched{std::move(known->second.handle), host.members});
        watched_.erase(known);
        return;
    }
    auto handle = now.size() >= most ? failure(std::errc::too_many_files_open, "open a handle of",
                                               fmt::format("pid {}", host.pid))
                                     : open_verified(table, host);
    if (handle) {
        now.emplace(key, Watched{std::move(*handle), host.members});
    } else if (handle.error().code == std::errc::no_such_process) {
        hostless_.insert(host.members.begin(), host.members.end());
    } else {
        unwatched_.insert(host.pid);
        complaint_ = describe(handle.error());
    }
}

// A host that this look did not see may have exited since the look before: its members are taken as
// hostless all the same.
void HostHandles::update(const scanner::ProcessTable& table, const std::vector<WatchedHost>& hosts,
                         std::size_t most) {
    std::map<Key, Watched> now;
    unwatched_.clear();
    complaint_.clear();
    for (const WatchedHost& host : hosts) watch(table, host, most, now);
    for (const auto& [key, left] : watched_) {
        if (left.handle.exited()) hostless_.insert(left.members.begin(), left.members.end());
    }
    watched_ = std::move(now);
}

void HostHandles::add_to(std::vector<pollfd>& descriptors) const {
    for (const auto& [key, host] : watched_) descriptors.push_back({host.handle.raw(), POLLIN, 0});
}

std::set<Pid> HostHandles::take_hostless() {
    std::vector<pollfd> descriptors;
    add_to(descriptors);
    if (::poll(descriptors.data(), descriptors.size(), 0) > 0) {
        auto descriptor = descriptors.begin();
        for (auto host = watched_.begin(); host != watched_.end(); ++descriptor) {
            if (descriptor->revents == 0) {
                ++host;
                continue;
            }
            hostless_.insert(host->second.members.begin(), host->second.members.end());
            host = watched_.erase(host);
        }
    }
    return std::exchange(hostless_, {});
}

}  // namespace reaper::agent
