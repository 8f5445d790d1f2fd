#include "scanner/parse/sock_diag_reply.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>

namespace reaper::scanner {

namespace {

// The kernel fixes these layouts (linux/netlink.h, inet_diag.h, unix_diag.h). They are repeated
// here as offsets so that the parser builds, and is fuzzed, on every system.
constexpr std::size_t kHeaderSize = 16;
constexpr std::size_t kUnixSize = 16;
constexpr std::size_t kInetSize = 72;
constexpr std::uint16_t kError = 2;
constexpr std::uint16_t kDone = 3;
constexpr std::uint16_t kSocket = 20;             // SOCK_DIAG_BY_FAMILY
constexpr std::uint16_t kDumpInterrupted = 0x10;  // NLM_F_DUMP_INTR
constexpr std::uint16_t kAttributeTypeMask = 0x3fff;
constexpr std::uint8_t kUnix = 1, kInet4 = 2, kInet6 = 10;  // the numbers of Linux for the families
constexpr std::uint8_t kListen = 10;                        // TCP_LISTEN
constexpr std::uint16_t kUnixName = 0, kUnixPeer = 2, kUnixWaiting = 3, kUnixShutdown = 6,
                        kUnixOwner = 7;

template <class Number>
Number number_at(std::string_view bytes, std::size_t offset) {
    Number value{};
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

constexpr std::size_t aligned(std::size_t length) {
    return (length + 3) & ~std::size_t{3};
}

tl::unexpected<Error> bad_length(std::string_view what) {
    return failure(std::errc::bad_message, "parse the kernel's answer about", what);
}

std::string unix_address(std::string_view name) {
    if (name.starts_with('\0')) return std::string("@").append(name.substr(1));
    return std::string(name.substr(0, name.find('\0')));
}

bool apply_unix_attribute(std::uint16_t type, std::string_view value, DiagSocket& socket) {
    if (type == kUnixName) {
        socket.abstract = value.starts_with('\0');
        socket.address = unix_address(value);
    }
    if (type == kUnixPeer || type == kUnixOwner) {
        if (value.size() != sizeof(std::uint32_t)) return false;
        const auto number = number_at<std::uint32_t>(value, 0);
        if (type == kUnixPeer) socket.peer = number;
        if (type == kUnixOwner) socket.owner = number;
    }
    if (type == kUnixWaiting) {
        if (value.size() % sizeof(std::uint32_t) != 0) return false;
        for (std::size_t at = 0; at < value.size(); at += sizeof(std::uint32_t))
            socket.waiting.push_back(number_at<std::uint32_t>(value, at));
    }
    if (type == kUnixShutdown) {
        if (value.size() != 1) return false;
        socket.receive_shut = (value[0] & 1) != 0;  // RCV_SHUTDOWN
        socket.send_shut = (value[0] & 2) != 0;     // SEND_SHUTDOWN
    }
    return true;
}

bool parse_attributes(std::string_view bytes, DiagSocket& socket) {
    constexpr std::size_t kAttributeHeader = 4;
    while (bytes.size() >= kAttributeHeader) {
        const std::size_t length = number_at<std::uint16_t>(bytes, 0);
        if (length < kAttributeHeader || length > bytes.size()) return false;
        const auto type =
            static_cast<std::uint16_t>(number_at<std::uint16_t>(bytes, 2) & kAttributeTypeMask);
        if (!apply_unix_attribute(type, bytes.substr(kAttributeHeader, length - kAttributeHeader),
                                  socket))
            return false;
        bytes.remove_prefix(std::min(aligned(length), bytes.size()));
    }
    return bytes.empty();
}

Result<DiagSocket> parse_unix(std::string_view payload) {
    if (payload.size() < kUnixSize) return bad_length("a unix socket");
    DiagSocket socket;
    socket.listening = number_at<std::uint8_t>(payload, 2) == kListen;
    socket.inode = number_at<std::uint32_t>(payload, 4);
    if (!parse_attributes(payload.substr(kUnixSize), socket)) return bad_length("a unix socket");
    return socket;
}

Result<DiagSocket> parse_inet(std::string_view payload, SocketFamily family) {
    if (payload.size() < kInetSize) return bad_length("a TCP socket");
    DiagSocket socket;
    socket.family = family;
    socket.listening = number_at<std::uint8_t>(payload, 1) == kListen;
    socket.port = ntohs(number_at<std::uint16_t>(payload, 4));
    socket.inode = number_at<std::uint32_t>(payload, 68);
    std::array<char, INET6_ADDRSTRLEN> text{};
    const int native = family == SocketFamily::tcp6 ? AF_INET6 : AF_INET;
    if (inet_ntop(native, payload.data() + 8, text.data(), text.size()) != nullptr)
        socket.address = text.data();
    return socket;
}

Result<DiagSocket> parse_socket(std::string_view payload) {
    if (payload.empty()) return bad_length("a socket");
    switch (number_at<std::uint8_t>(payload, 0)) {
        case kUnix: return parse_unix(payload);
        case kInet4: return parse_inet(payload, SocketFamily::tcp4);
        case kInet6: return parse_inet(payload, SocketFamily::tcp6);
        default: return bad_length("a socket of a family that was not asked for");
    }
}

// Checks the status: errors and the end of a list start with 0 or a negative errno.
Result<void> check_status(std::string_view payload) {
    if (payload.size() < sizeof(std::int32_t)) return bad_length("an error");
    const auto status = number_at<std::int32_t>(payload, 0);
    if (status >= 0) return {};
    const int code = status == std::numeric_limits<std::int32_t>::min() ? EIO : -status;
    return tl::unexpected(
        Error{std::error_code(code, std::generic_category()), "ask the kernel about", "sockets"});
}

Result<void> parse_message(std::uint16_t type, std::string_view payload, DiagReply& reply) {
    if (type == kError || type == kDone) {
        reply.done = true;
        return check_status(payload);
    }
    if (type != kSocket) return {};
    auto socket = parse_socket(payload);
    if (!socket) return tl::unexpected(std::move(socket.error()));
    reply.sockets.push_back(std::move(*socket));
    return {};
}

}  // namespace

Result<DiagReply> parse_sock_diag(std::string_view datagram, std::uint32_t sequence) {
    DiagReply reply;
    while (!datagram.empty() && !reply.done) {
        if (datagram.size() < kHeaderSize) return bad_length("sockets");
        const std::size_t length = number_at<std::uint32_t>(datagram, 0);
        if (length < kHeaderSize || length > datagram.size()) return bad_length("sockets");
        if (number_at<std::uint32_t>(datagram, 8) == sequence) {
            if ((number_at<std::uint16_t>(datagram, 6) & kDumpInterrupted) != 0) {
                return failure(std::errc::resource_unavailable_try_again, "list", "sockets");
            }
            const auto type = number_at<std::uint16_t>(datagram, 4);
            const auto parsed =
                parse_message(type, datagram.substr(kHeaderSize, length - kHeaderSize), reply);
            if (!parsed) return tl::unexpected(parsed.error());
        }
        datagram.remove_prefix(std::min(aligned(length), datagram.size()));
    }
    return reply;
}

}  // namespace reaper::scanner
