#include "agent/run/message_channel.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <tuple>

namespace reaper::agent {

Result<Link> make_link() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return system_failure("make", "a pair of sockets");
    return Link{Fd(ends[0]), Fd(ends[1])};
}

bool can_send_note(const Fd& link) {
    pollfd entry{link.get(), POLLOUT, 0};
    return ::poll(&entry, 1, 0) == 1 && (entry.revents & POLLOUT) != 0;
}

void send_note(const Fd& link, Note note) {
    std::ignore = ::send(link.get(), &note, sizeof note, MSG_NOSIGNAL | MSG_DONTWAIT);
}

// Where the other one has ended with a note unread, the kernel says that once, before the notes
// that it has sent.
Received receive_note(const Fd& link, Note& note) {
    ssize_t size = ::recv(link.get(), &note, sizeof note, MSG_DONTWAIT);
    if (size < 0 && errno == ECONNRESET)
        size = ::recv(link.get(), &note, sizeof note, MSG_DONTWAIT);
    if (size == sizeof note) return Received::note;
    const bool not_yet = size < 0 && (errno == EAGAIN || errno == EINTR);
    return not_yet ? Received::nothing : Received::other_is_gone;
}

}  // namespace reaper::agent
