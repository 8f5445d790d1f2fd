// Sockets of services on this machine, by their path.
#pragma once

#include <string_view>

#include "scanner/fd.hpp"

namespace reaper::agent {

// Returns a socket of this type, SOCK_STREAM or SOCK_DGRAM, that is connected to `path` and waits
// for nothing. Empty: nothing listens there, or the path is too long for a socket.
[[nodiscard]] Fd connect_to(std::string_view path, int type);

}  // namespace reaper::agent
