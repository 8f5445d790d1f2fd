// The handles by which a watch learns at once that a host has died. They decide nothing: who then is leaked is for a sweep to find out.
#pragma once

#include <poll.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/hosts.hpp"
#include "scanner/pid_handle.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

class HostHandles {
   public:
    // Watches these and no others, at most `most` of them. A handle counts only when the process was still the same after it was
    // opened. Who has died meanwhile is known to take_bereaved().
    void update(const scanner::Procfs& procfs, const std::vector<WatchedHost>& hosts, std::size_t most);

    // For poll(2): readable once a host has died.
    void add_to(std::vector<pollfd>& descriptors) const;

    // The members of the hosts that have died, once: those hosts are forgotten.
    [[nodiscard]] std::set<scanner::Pid> take_bereaved();

    // Somebody else tells that a process of this pid has exited: news only of a host that has no handle.
    [[nodiscard]] bool has_no_handle(scanner::Pid pid) const { return unwatched_.contains(pid); }

    [[nodiscard]] std::size_t watched() const { return watched_.size(); }
    [[nodiscard]] std::size_t unwatched() const { return unwatched_.size(); }
    // Why there are unwatched ones.
    [[nodiscard]] const std::string& complaint() const { return complaint_; }

    void clear() { watched_.clear(); }

   private:
    struct Watched {
        scanner::PidHandle handle;
        std::set<scanner::Pid> members;
    };
    using Key = std::pair<scanner::Pid, std::uint64_t>;  // pid and start

    void watch(const scanner::Procfs& procfs, const WatchedHost& host, std::size_t most, std::map<Key, Watched>& now);

    std::map<Key, Watched> watched_;
    std::set<scanner::Pid> unwatched_;
    std::set<scanner::Pid> bereaved_;
    std::string complaint_;
};

}  // namespace reaper::agent
