#include "agent/system/unix_socket.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <iterator>

namespace reaper::agent {

Fd connect_to(std::string_view path, int type) {
    sockaddr_un place{};
    if (path.size() >= sizeof place.sun_path) return {};
    place.sun_family = AF_UNIX;
    std::ranges::copy(path, std::begin(place.sun_path));
    Fd socket(::socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const bool connected =
        socket && ::connect(socket.get(), reinterpret_cast<sockaddr*>(&place), sizeof place) == 0;
    return connected ? std::move(socket) : Fd();
}

}  // namespace reaper::agent
