// Calls that have another name, or another meaning, on the machine that this program is built for.
// system_calls_linux.cpp and system_calls_darwin.cpp do no more than to call them.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "scanner/fd.hpp"

namespace reaper::agent {

// Waits until what was written is where it survives a loss of power. False: errno says why.
[[nodiscard]] bool flush_to_disk(int file);

// Renames within the folder, but never over a file that has that name: EEXIST. False: errno says
// why; EINVAL, ENOSYS or ENOTSUP: this file system cannot do that.
[[nodiscard]] bool rename_to_free_name(int folder, const char* from, const char* to);

// Opens a folder to find things below it, also one that cannot be listed. Empty: errno says why.
[[nodiscard]] Fd open_to_search(const std::string& folder);

// Returns a file that has no name, and is gone with its last descriptor. Empty: errno says why.
// `most`: on Linux it never has more bytes; 0: any.
[[nodiscard]] Fd make_nameless_file(off_t most = 0);

// Lets no write to this socket raise SIGPIPE, where MSG_NOSIGNAL does not see to that.
void refuse_sigpipe(int socket);

// Returns how much of what was written to this socket its other end has not read. None: that cannot
// be told.
[[nodiscard]] std::optional<int> unread_bytes(int socket);

// The process at the other end of a socket, as it was when they were connected.
struct SocketPeer {
    pid_t pid = 0;  // 0: it is none of this pid namespace
    uid_t uid = 0;
};
// None: errno says why.
[[nodiscard]] std::optional<SocketPeer> peer_of(int socket);

// Returns the path of this program, without links; empty: it is not known. One that was deleted may
// have a mark of that behind it.
[[nodiscard]] std::string own_program_path();

// Returns the folder that lists the descriptors of this process.
[[nodiscard]] const char* own_descriptor_folder();

}  // namespace reaper::agent
