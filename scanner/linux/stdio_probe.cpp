#include "scanner/linux/stdio_probe.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include <cerrno>
#include <string>

#include "scanner/access_guard.hpp"
#include "scanner/fd.hpp"
#include "scanner/linux/kernel.hpp"
#include "scanner/linux/sock_diag.hpp"
#include "scanner/read_file.hpp"

namespace reaper::scanner {

namespace {

bool lies_in(const Fd& fd, std::int64_t magic) {
    struct statfs filesystem{};
    return ::fstatfs(fd.get(), &filesystem) == 0 && filesystem.f_type == magic;
}

bool is_null_device(dev_t device) {
    return device == makedev(1, 3);
}

// Documentation/admin-guide/devices.txt: virtual consoles, serial lines, /dev/tty, the console,
// Unix98 pts.
bool is_terminal(dev_t device) {
    const unsigned number = major(device);
    return number == 4 || number == 5 || (number >= 136 && number <= 143);
}

EndKind kind_of(const Fd& fd, const struct stat& status) {
    if (S_ISFIFO(status.st_mode))
        return lies_in(fd, kernel::kPipeFsMagic) ? EndKind::pipe : EndKind::fifo;
    if (S_ISSOCK(status.st_mode)) return EndKind::socket;
    if (S_ISREG(status.st_mode)) return EndKind::file;
    if (!S_ISCHR(status.st_mode)) return EndKind::other;
    if (is_null_device(status.st_rdev)) return EndKind::null_device;
    return is_terminal(status.st_rdev) ? EndKind::terminal : EndKind::other;
}

// Opens an end of our own on the same pipe, where the kernel tells at once whether the opposite
// side is still open. That disturbs nothing, as the process holds an end of the same side. The
// O_PATH descriptor stays with this pipe, whatever the process does to its descriptors meanwhile.
PeerState probe_pipe(const Fd& looked_at, StandardStream stream) {
    const bool input = stream == StandardStream::input;
    const std::string path = "/proc/self/fd/" + std::to_string(looked_at.get());
    const Fd end(
        ::open(path.c_str(), (input ? O_RDONLY : O_WRONLY) | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!end) return PeerState::unknown;
    pollfd entry{end.get(), 0, 0};  // POLLHUP and POLLERR are always reported
    int ready = 0;
    do {
        ready = ::poll(&entry, 1, 0);
    } while (ready < 0 && errno == EINTR);
    if (ready < 0 || (entry.revents & POLLNVAL) != 0) return PeerState::unknown;
    return (entry.revents & (input ? POLLHUP : POLLERR)) != 0 ? PeerState::dead : PeerState::alive;
}

// When the far end is closed the kernel shuts down this one in both directions (net/unix/af_unix.c,
// unix_release_sock); a host that only ends its writing shuts down one. A peer of 0 without that is
// a connection that is not accepted yet.
PeerState probe_socket(std::uint64_t inode, StandardStream stream, bool same_network) {
    if (!same_network) return PeerState::unknown;
    const auto socket = find_unix_socket(inode);
    if (!socket || !socket->peer) return PeerState::unknown;
    if (stream == StandardStream::input ? socket->receive_shut : socket->send_shut)
        return PeerState::dead;
    return *socket->peer != 0 ? PeerState::alive : PeerState::unknown;
}

// When the last master of a pseudo-terminal is closed, the kernel hangs up the line and unlinks its
// node (drivers/tty/pty.c, pty_unix98_remove): the inode that the process still holds has lost its
// only name for good. Measured on 6.18, for a controlling terminal or not: st_nlink falls from 1 to
// 0, the link in fd/ reads "/dev/pts/N (deleted)", and N is not reused while the line is held. Only
// the kernel can unlink in devpts. Anything else, /dev/tty, consoles, serial lines, counts as
// alive.
PeerState probe_terminal(const Fd& fd, const struct stat& status) {
    return status.st_nlink == 0 && lies_in(fd, kernel::kDevPtsMagic) ? PeerState::dead
                                                                     : PeerState::alive;
}

// A file in a file system can hang; what has no name there, such as a pipe, cannot.
bool may_look_at(int process, Uid user, const char* name) {
    const auto path = read_link_at(process, name);
    return !path || !path->starts_with('/') || may_read(user, *path);
}

PeerState probe_peer(const Fd& fd, const StdioEnd& end, StandardStream stream, bool same_network) {
    if (end.kind == EndKind::pipe) return probe_pipe(fd, stream);
    if (end.kind == EndKind::socket) return probe_socket(end.inode, stream, same_network);
    return PeerState::unknown;
}

}  // namespace

// Opens with O_PATH first: opened by its name in fd/, the file could be replaced by a terminal or
// device after our check, and opening some devices has effects.
Reading<StdioEnd> probe_stdio(int process, Uid user, StandardStream stream, bool same_network) {
    using Probed = Reading<StdioEnd>;
    const char* name = stream == StandardStream::input ? "fd/0" : "fd/1";
    if (!may_look_at(process, user, name)) return Probed::failed(Access::denied);
    const Fd fd(::openat(process, name, O_PATH | O_CLOEXEC));
    if (!fd && errno == ENOENT) return Probed::of({EndKind::closed, PeerState::unknown, 0, {}});
    struct stat status{};
    if (!fd || ::fstat(fd.get(), &status) != 0) {
        return Probed::failed(access_of(std::error_code(errno, std::generic_category())));
    }
    StdioEnd end{kind_of(fd, status), PeerState::unknown, status.st_ino, {}};
    end.peer = end.kind == EndKind::terminal ? probe_terminal(fd, status)
                                             : probe_peer(fd, end, stream, same_network);
    return Probed::of(std::move(end));
}

}  // namespace reaper::scanner
