// What the Linux kernel answers to a question about sockets (NETLINK_SOCK_DIAG): bytes in, sockets out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scanner/identity.hpp"
#include "scanner/result.hpp"

namespace reaper::scanner {

enum class SocketFamily { unix_domain, tcp4, tcp6 };

struct DiagSocket {
    SocketFamily family = SocketFamily::unix_domain;
    bool stream = false;  // SOCK_STREAM
    bool listening = false;
    std::uint64_t inode = 0;
    bool abstract = false;  // unix only: its address is no path, though a path can look like it
    std::string address;    // "127.0.0.1", "::1", a path, "@name" (abstract), or nothing (unnamed)
    std::uint16_t port = 0;
    std::optional<Uid> owner;           // unix only, since Linux 5.3: who made it
    std::optional<std::uint64_t> peer;  // unix only: inode of the other end; 0: its last descriptor is closed
    bool receive_shut = false;          // unix only: nothing can arrive any more
    bool send_shut = false;             // unix only: nothing that is sent can arrive

    bool operator==(const DiagSocket&) const = default;
};

struct DiagReply {
    std::vector<DiagSocket> sockets;
    bool done = false;  // the list ends here

    bool operator==(const DiagReply&) const = default;
};

// One datagram. Messages with another sequence number are answers to somebody else's question and are skipped.
// The kernel's own error is passed on with its code (ENOENT: there is no such socket here). bad_message: a length does not
// fit. resource_unavailable_try_again: the table changed while it was being listed.
[[nodiscard]] Result<DiagReply> parse_sock_diag(std::string_view datagram, std::uint32_t sequence);

}  // namespace reaper::scanner
