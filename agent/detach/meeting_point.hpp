// The socket at which requests for a sweep meet. Inside of request.cpp only.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <string>
#include <string_view>

#include "scanner/fd.hpp"

namespace reaper::agent {

inline constexpr int kMostWaiting = 128;  // requests that are not taken yet

struct MeetingPoint {
    sockaddr_un address{};
    socklen_t length = 0;  // 0: there is none
};

// Returns the place of this user for requests that are alike: `alike` stands for what they ask for.
[[nodiscard]] std::string place_for(std::string_view alike);

[[nodiscard]] MeetingPoint meeting_point(const std::string& place);

// Gives the socket that address, and lets requests come in. False: another process is there.
[[nodiscard]] bool take_point(const Fd& socket, const MeetingPoint& point);

// Returns what decides which processes this one sees: only those that see the same can sweep for
// each other.
[[nodiscard]] std::string own_view();

}  // namespace reaper::agent
