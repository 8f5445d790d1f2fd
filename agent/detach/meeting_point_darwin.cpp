#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "agent/detach/meeting_point.hpp"
#include "agent/sweep/lock.hpp"
#include "agent/system/lock_file.hpp"
#include "agent/system/unix_socket.hpp"

namespace reaper::agent {

// A file beside the locks of sweeps, where no other user can make one.
std::string place_for(std::string_view alike) {
    return fmt::format("{}/meeting-{}", lock_folders().front(), alike);
}

MeetingPoint meeting_point(const std::string& place) {
    MeetingPoint point;
    if (!place.starts_with('/') || place.size() >= sizeof point.address.sun_path) return point;
    point.address.sun_family = AF_UNIX;
    std::ranges::copy(place, std::begin(point.address.sun_path));
    point.length = sizeof point.address;
    return point;
}

// The file of a process that has ended stays, and keeps others from its name: it is removed. One
// process at a time does that, and not while another one is there.
bool take_point(const Fd& socket, const MeetingPoint& point) {
    const std::string path = point.address.sun_path;
    const auto lock = open_lock_folder(path.substr(0, path.rfind('/')), "meeting");
    if (!lock || ::flock(lock->get(), LOCK_EX) != 0) return false;
    if (connect_to(path, SOCK_STREAM)) return false;
    ::unlink(path.c_str());
    const auto* raw = reinterpret_cast<const sockaddr*>(&point.address);
    return ::bind(socket.get(), raw, point.length) == 0 &&
           ::listen(socket.get(), kMostWaiting) == 0;
}

// All processes of a Mac see the same.
std::string own_view() {
    return {};
}

}  // namespace reaper::agent
