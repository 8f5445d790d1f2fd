// Parses the answers of the Linux kernel to questions about sockets (NETLINK_SOCK_DIAG).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scanner/model/identity.hpp"
#include "scanner/model/result.hpp"

namespace reaper::scanner {

enum class SocketFamily { unix_domain, tcp4, tcp6 };

struct DiagSocket {
    SocketFamily family = SocketFamily::unix_domain;
    bool listening = false;
    std::uint64_t inode = 0;
    bool abstract = false;  // unix only: its address is no path, even if it looks like one
    std::string address;    // "127.0.0.1", "::1", a path, "@name" (abstract), or nothing (unnamed)
    std::uint16_t port = 0;
    std::optional<Uid> owner;  // unix only, since Linux 5.3: the user that made it
    // Unix only: inode of the other end; 0: the last descriptor of that end is closed.
    std::optional<std::uint64_t> peer;
    bool receive_shut = false;  // unix only: nothing more can be received
    bool send_shut = false;     // unix only: nothing more can be sent
    // Unix listeners only: inodes of the far ends of connections that are not accepted yet.
    std::vector<std::uint64_t> waiting = {};

    bool operator==(const DiagSocket&) const = default;
};

struct DiagReply {
    std::vector<DiagSocket> sockets;
    bool done = false;  // the list ends here

    bool operator==(const DiagReply&) const = default;
};

// Parses one datagram. Skips messages with another sequence number: they answer other questions. An
// error of the kernel is passed on with its code (ENOENT: there is no such socket here).
// bad_message: a length does not fit. resource_unavailable_try_again: the table changed while it
// was listed.
[[nodiscard]] Result<DiagReply> parse_sock_diag(std::string_view datagram, std::uint32_t sequence);

}  // namespace reaper::scanner
