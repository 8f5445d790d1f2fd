// Handles that tell a watch at once that a host has exited. They decide nothing: a sweep finds out
// what is leaked then.
#pragma once

#include <poll.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/watch/hosts.hpp"
#include "scanner/pid_handle.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

// Owns one descriptor for each host that it watches.
class HostHandles {
   public:
    // Watches exactly these hosts, at most `most` of them. A handle counts only when the process
    // was still the same after the handle was opened. The members of hosts that have exited
    // meanwhile are left for take_hostless().
    void update(const scanner::ProcessTable& table, const std::vector<WatchedHost>& hosts,
                std::size_t most);

    // Adds the handles for poll(2): each is readable once its host has exited.
    void add_to(std::vector<pollfd>& descriptors) const;

    // Returns the members of hosts that have exited, once, and forgets those hosts.
    [[nodiscard]] std::set<scanner::Pid> take_hostless();

    // True if `pid` belongs to a host that could not be watched by a handle, so that a proc event
    // about its exit is news.
    [[nodiscard]] bool has_no_handle(scanner::Pid pid) const { return unwatched_.contains(pid); }

    // Count hosts. Unwatched: above `most`, or the handle could not be opened.
    [[nodiscard]] std::size_t watched() const { return watched_.size(); }
    [[nodiscard]] std::size_t unwatched() const { return unwatched_.size(); }
    // Says why there are unwatched hosts.
    [[nodiscard]] const std::string& complaint() const { return complaint_; }

    // Closes all handles, and so hears of no exit until the next update().
    void clear() { watched_.clear(); }

   private:
    struct Watched {
        scanner::PidHandle handle;
        std::set<scanner::Pid> members;
    };
    using Key = std::pair<scanner::Pid, std::uint64_t>;  // pid and start

    // Takes over the handle of before. A host without one goes to unwatched_, the members of one
    // that has exited to hostless_.
    void watch(const scanner::ProcessTable& table, const WatchedHost& host, std::size_t most,
               std::map<Key, Watched>& now);

    std::map<Key, Watched> watched_;
    std::set<scanner::Pid> unwatched_;
    std::set<scanner::Pid> hostless_;
    std::string complaint_;
};

}  // namespace reaper::agent
