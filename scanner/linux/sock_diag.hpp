// Asking the kernel about sockets of this program's own network namespace. Needs no privilege, only netlink.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scanner/result.hpp"
#include "scanner/sock_diag_reply.hpp"

namespace reaper::scanner {

// One unix socket. no_such_file_or_directory: there is none with that inode here, or it is of another family.
[[nodiscard]] Result<DiagSocket> find_unix_socket(std::uint64_t inode);

// Who made the abstract stream socket of that name, whether it listens or not; none: a kernel before Linux 5.3 does not tell.
// no_such_file_or_directory: there is none.
[[nodiscard]] Result<std::optional<Uid>> find_socket_owner(const std::string& name);

// Every listening socket: TCP of both families, and unix. All or nothing: a partial list could hide a listener.
[[nodiscard]] Result<std::vector<DiagSocket>> list_listening_sockets();

}  // namespace reaper::scanner
