#include <fcntl.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <utility>

#include "agent/system/system_calls.hpp"

namespace reaper::agent {

bool flush_to_disk(int file) {
    return ::fdatasync(file) == 0;
}

bool rename_to_free_name(int folder, const char* from, const char* to) {
    return ::renameat2(folder, from, folder, to, RENAME_NOREPLACE) == 0;
}

Fd open_to_search(const std::string& folder) {
    return Fd(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

Fd make_nameless_file(off_t most) {
    Fd file(::memfd_create("orphan-reaper", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    const bool is_as_asked =
        file && (most == 0 || (::ftruncate(file.get(), most) == 0 &&
                               ::fcntl(file.get(), F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK) == 0));
    return is_as_asked ? std::move(file) : Fd();
}

void refuse_sigpipe(int /*socket*/) {}

std::optional<int> unread_bytes(int socket) {
    int left = 0;
    return ::ioctl(socket, SIOCOUTQ, &left) == 0 ? std::optional(left) : std::nullopt;
}

std::optional<SocketPeer> peer_of(int socket) {
    ucred peer{};
    socklen_t size = sizeof peer;
    const bool known = ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
    return known ? std::optional(SocketPeer{peer.pid, peer.uid}) : std::nullopt;
}

std::string own_program_path() {
    char path[PATH_MAX];
    const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
    return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : std::string();
}

const char* own_descriptor_folder() {
    return "/proc/self/fd";
}

}  // namespace reaper::agent
