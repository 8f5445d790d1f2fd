#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

#include <fmt/format.h>

#include "agent/detach/meeting_point.hpp"

namespace reaper::agent {

std::string place_for(std::string_view alike) {
    return fmt::format("orphan-reaper/sweep/{}/{}", ::geteuid(), alike);
}

// In the abstract namespace: the first byte of such a name is zero. It needs no folder that can be
// written, is bound by one process only, and is gone with that.
MeetingPoint meeting_point(const std::string& place) {
    MeetingPoint point;
    point.address.sun_family = AF_UNIX;
    std::ranges::copy(place, std::begin(point.address.sun_path) + 1);
    point.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + place.size());
    return point;
}

bool take_point(const Fd& socket, const MeetingPoint& point) {
    const auto* raw = reinterpret_cast<const sockaddr*>(&point.address);
    return ::bind(socket.get(), raw, point.length) == 0 &&
           ::listen(socket.get(), kMostWaiting) == 0;
}

// Names of sockets are shared by all that share a network.
std::string own_view() {
    std::string names;
    for (const char* kind : {"pid", "mnt", "user"}) {
        struct stat status{};
        if (::stat(fmt::format("/proc/self/ns/{}", kind).c_str(), &status) == 0)
            names += fmt::format("{} ", status.st_ino);
    }
    return names;
}

}  // namespace reaper::agent
