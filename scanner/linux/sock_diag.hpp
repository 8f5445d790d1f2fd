// Asks the kernel about sockets of the network namespace of this program. Needs no privilege, only
// netlink.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scanner/model/result.hpp"
#include "scanner/parse/sock_diag_reply.hpp"

namespace reaper::scanner {

// Finds one unix socket. no_such_file_or_directory: none has that inode here, or it is of another
// family.
[[nodiscard]] Result<DiagSocket> find_unix_socket(std::uint64_t inode);

// The owner of a listening unix socket, and the inodes of the far ends of its connections: accepted
// ones, found by their name, and those that still wait. Another socket of that name makes the list
// longer, never shorter.
struct UnixService {
    std::optional<Uid> owner;
    std::vector<std::uint64_t> clients;
};
[[nodiscard]] Result<UnixService> look_at_service(std::uint64_t inode, const std::string& address);

// Lists the connections that a TCP listener on this port has, accepted or not.
[[nodiscard]] Result<std::vector<DiagSocket>> list_tcp_connections(SocketFamily family,
                                                                   std::uint16_t port);

// Lists every listening socket: TCP of both families, and unix. All or nothing, as a partial list
// could hide a listener.
[[nodiscard]] Result<std::vector<DiagSocket>> list_listening_sockets();

}  // namespace reaper::scanner
