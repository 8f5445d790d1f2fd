#include "agent/system/unix_socket.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "agent/system/pipe.hpp"
#include "agent/system/system_calls.hpp"

namespace reaper::agent {

namespace {

Fd tamed(int raw) {
    Fd socket = keep_to_self(raw);
    if (socket) refuse_sigpipe(socket.get());
    return socket;
}

}  // namespace

Fd make_socket(int type) {
    return tamed(::socket(AF_UNIX, type, 0));
}

Result<std::pair<Fd, Fd>> make_socket_pair() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0)
        return system_failure("make", "a socket");
    return std::pair(tamed(ends[0]), tamed(ends[1]));
}

// Where `socket` does not wait, macOS makes one that does not either.
Fd accept_from(const Fd& socket) {
    Fd connection = tamed(::accept(socket.get(), nullptr, nullptr));
    if (connection) ::fcntl(connection.get(), F_SETFL, 0);
    return connection;
}

Fd connect_to(std::string_view path, int type) {
    sockaddr_un place{};
    if (path.size() >= sizeof place.sun_path) return {};
    place.sun_family = AF_UNIX;
    std::ranges::copy(path, std::begin(place.sun_path));
    Fd socket = make_socket(type);
    if (socket) never_wait(socket);
    const bool connected =
        socket && ::connect(socket.get(), reinterpret_cast<sockaddr*>(&place), sizeof place) == 0;
    return connected ? std::move(socket) : Fd();
}

}  // namespace reaper::agent
