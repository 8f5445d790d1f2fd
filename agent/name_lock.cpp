#include "agent/name_lock.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstddef>
#include <utility>

#include "scanner/linux/sock_diag.hpp"

namespace reaper::agent {

namespace {

// Each who asks for the holder is in the queue until the name is free again.
constexpr int kMostWhoAsk = 4096;

// A first byte of zero makes it abstract: no file, and free as soon as nobody has the socket open. Longer names than that are cut off.
std::pair<sockaddr_un, socklen_t> address_of(const std::string& name) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::size_t length = name.copy(address.sun_path + 1, sizeof address.sun_path - 1);
    return {address, static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length)};
}

const sockaddr* generic(const sockaddr_un& address) {
    return reinterpret_cast<const sockaddr*>(&address);  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast)
}

// Who listened last, as that one was then.
std::optional<ucred> ask(const std::string& name) {
    const auto [address, length] = address_of(name);
    const auto socket = make_name_lock();
    ucred holder{};
    socklen_t size = sizeof holder;
    if (!socket || ::connect(socket->get(), generic(address), length) != 0 ||
        ::getsockopt(socket->get(), SOL_SOCKET, SO_PEERCRED, &holder, &size) != 0)
        return std::nullopt;
    return holder;
}

}  // namespace

Result<Fd> make_name_lock() {
    Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    return socket ? Result<Fd>(std::move(socket)) : system_failure("make", "a socket for the lock");
}

// EINVAL: it has its name already, from a copy of this process. Whoever listened last is the one whom others are told.
Result<bool> take_name(const Fd& socket, const std::string& name) {
    const auto [address, length] = address_of(name);
    if (::bind(socket.get(), generic(address), length) != 0 && errno != EINVAL) {
        if (errno == EADDRINUSE) return false;
        return system_failure("take the name", name);
    }
    if (::listen(socket.get(), kMostWhoAsk) != 0) return system_failure("listen at", name);
    return true;
}

// The answer alone would not do: whoever asks too often fills the queue for all, and whoever does not listen gives none.
std::optional<LockHolder> find_name_holder(const std::string& name) {
    const auto owner = scanner::find_socket_owner(name);
    if (!owner && owner.error().code == std::errc::no_such_file_or_directory) return std::nullopt;
    const auto answer = ask(name);
    if (!owner || !*owner) return answer ? LockHolder{answer->pid, answer->uid} : LockHolder{};
    return LockHolder{answer && answer->uid == **owner ? answer->pid : 0, *owner};
}

}  // namespace reaper::agent
