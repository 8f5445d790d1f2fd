// Sockets of this machine. No program inherits them, and no write to one ends this program by
// SIGPIPE: where MSG_NOSIGNAL does not do that, the socket itself does. Only for a program without
// threads.
#pragma once

#include <string_view>
#include <utility>

#include "scanner/fd.hpp"
#include "scanner/model/result.hpp"

namespace reaper::agent {

// Returns a socket of this type, SOCK_STREAM or SOCK_DGRAM. Empty: errno says why.
[[nodiscard]] Fd make_socket(int type);

// Returns the two ends of a SOCK_STREAM.
[[nodiscard]] Result<std::pair<Fd, Fd>> make_socket_pair();

// Takes a connection that has come to `socket`. Its calls wait. Empty: none has come.
[[nodiscard]] Fd accept_from(const Fd& socket);

// Returns a socket of this type that is connected to `path` and waits for nothing. Empty: nothing
// listens there, or the path is too long for a socket.
[[nodiscard]] Fd connect_to(std::string_view path, int type);

}  // namespace reaper::agent
