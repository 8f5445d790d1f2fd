#include "scanner/linux/sock_diag.hpp"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <limits>

#include "scanner/fd.hpp"

namespace reaper::scanner {

namespace {

constexpr std::uint32_t kSequence = 1;         // every question has a socket of its own
constexpr timeval kAnswerTimeout{1, 0};        // the kernel answers at once or never
constexpr std::size_t kReplySize = 32 * 1024;  // no datagram of a netlink dump is larger
constexpr int kListAttempts = 3;
constexpr std::uint32_t kListening = 1U << TCP_LISTEN;
constexpr std::uint32_t kConnected = 1U << TCP_ESTABLISHED;
// Those in which a peer may still read or write.
constexpr std::uint32_t kTalking = kConnected | 1U << TCP_SYN_RECV | 1U << TCP_CLOSE_WAIT |
                                   1U << TCP_FIN_WAIT1 | 1U << TCP_FIN_WAIT2;
constexpr std::uint32_t kAnyState = std::numeric_limits<std::uint32_t>::max();
// UDIAG_SHOW_UID, which the headers of older systems lack.
constexpr std::uint32_t kShowOwner = 0x40;

template <class Question>
struct Request {
    nlmsghdr header{};
    Question question{};

    explicit Request(std::uint16_t flags) {
        header.nlmsg_len = sizeof *this;
        header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
        header.nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | flags);
        header.nlmsg_seq = kSequence;
    }
};

template <class Question>
Result<Fd> ask(const Request<Question>& request) {
    Fd fd(::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
    if (!fd) return system_failure("ask the kernel about", "sockets");
    ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &kAnswerTimeout, sizeof kAnswerTimeout);
    if (::send(fd.get(), &request, sizeof request, 0) < 0)
        return system_failure("ask the kernel about", "sockets");
    return fd;
}

// Receives one datagram. Any process may send to a netlink socket, so the sender is checked.
Result<DiagReply> receive(const Fd& fd) {
    static_assert(kReplySize <= 64 * 1024, "on the stack");
    std::array<char, kReplySize> bytes;
    while (true) {
        sockaddr_nl sender{};
        socklen_t sender_size = sizeof sender;
        const ssize_t size = ::recvfrom(fd.get(), bytes.data(), bytes.size(), MSG_TRUNC,
                                        reinterpret_cast<sockaddr*>(&sender), &sender_size);
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) return system_failure("hear from the kernel about", "sockets");
        if (sender.nl_pid != 0) continue;
        if (static_cast<std::size_t>(size) > bytes.size()) {
            return failure(std::errc::message_size, "hear from the kernel about", "sockets");
        }
        return parse_sock_diag({bytes.data(), static_cast<std::size_t>(size)}, kSequence);
    }
}

template <class Question>
Result<std::vector<DiagSocket>> list_once(const Request<Question>& request) {
    const auto fd = ask(request);
    if (!fd) return tl::unexpected(fd.error());
    std::vector<DiagSocket> sockets;
    while (true) {
        auto reply = receive(*fd);
        if (!reply) return tl::unexpected(std::move(reply.error()));
        std::ranges::move(reply->sockets, std::back_inserter(sockets));
        if (reply->done) return sockets;
    }
}

template <class Question>
Result<std::vector<DiagSocket>> list(const Request<Question>& request) {
    auto sockets = list_once(request);
    for (int attempt = 1; attempt < kListAttempts && !sockets; ++attempt) {
        if (sockets.error().code != std::errc::resource_unavailable_try_again) break;
        sockets = list_once(request);
    }
    return sockets;
}

// Port 0: any.
Result<std::vector<DiagSocket>> list_tcp(std::uint8_t family, std::uint32_t states,
                                         std::uint16_t port = 0) {
    Request<inet_diag_req_v2> request(NLM_F_DUMP);
    request.question.sdiag_family = family;
    request.question.sdiag_protocol = IPPROTO_TCP;
    request.question.idiag_states = states;
    request.question.id.idiag_sport = htons(port);
    return list(request);
}

Result<std::vector<DiagSocket>> list_unix(std::uint32_t states, std::uint32_t show) {
    Request<unix_diag_req> request(NLM_F_DUMP);
    request.question.sdiag_family = AF_UNIX;
    request.question.udiag_states = states;
    request.question.udiag_show = show;
    return list(request);
}

// A kernel without that family has no such sockets.
bool no_such_family(const Error& error) {
    return error.code == std::errc::no_such_file_or_directory;
}

Result<DiagSocket> ask_about(std::uint64_t inode, std::uint32_t show) {
    if (inode > std::numeric_limits<std::uint32_t>::max()) {
        return failure(std::errc::value_too_large, "look for", "a socket");
    }
    Request<unix_diag_req> request(0);
    request.question.sdiag_family = AF_UNIX;
    request.question.udiag_states = kAnyState;
    request.question.udiag_ino = static_cast<std::uint32_t>(inode);
    request.question.udiag_show = show;
    std::ranges::fill(request.question.udiag_cookie,
                      std::numeric_limits<std::uint32_t>::max());  // any
    const auto fd = ask(request);
    if (!fd) return tl::unexpected(fd.error());
    auto reply = receive(*fd);
    if (!reply) return tl::unexpected(std::move(reply.error()));
    if (reply->sockets.size() != 1 || reply->sockets.front().inode != inode) {
        return failure(std::errc::bad_message, "look for", "a socket");
    }
    return std::move(reply->sockets.front());
}

}  // namespace

Result<DiagSocket> find_unix_socket(std::uint64_t inode) {
    return ask_about(inode, UDIAG_SHOW_PEER);
}

// Asks for the waiting ones first: one that is accepted meanwhile is in both lists, and none is in
// neither. Asks only about this socket, as in a whole table the list could exceed the answer, and
// what follows would be lost.
Result<UnixService> look_at_service(std::uint64_t inode, const std::string& address) {
    auto socket = ask_about(inode, UDIAG_SHOW_ICONS | kShowOwner);
    if (!socket) return tl::unexpected(std::move(socket.error()));
    const auto connected = list_unix(kConnected, UDIAG_SHOW_NAME | UDIAG_SHOW_PEER);
    if (!connected) return tl::unexpected(connected.error());
    UnixService service{socket->owner, std::move(socket->waiting)};
    for (const DiagSocket& one : *connected) {
        if (!one.abstract && one.address == address && one.peer.value_or(0) != 0)
            service.clients.push_back(*one.peer);
    }
    return service;
}

Result<std::vector<DiagSocket>> list_tcp_connections(SocketFamily family, std::uint16_t port) {
    return list_tcp(family == SocketFamily::tcp4 ? AF_INET : AF_INET6, kTalking, port);
}

Result<std::vector<DiagSocket>> list_listening_sockets() {
    std::vector<DiagSocket> sockets;
    for (auto& part : {list_tcp(AF_INET, kListening), list_tcp(AF_INET6, kListening),
                       list_unix(kListening, UDIAG_SHOW_NAME)}) {
        if (!part && no_such_family(part.error())) continue;
        if (!part) return tl::unexpected(part.error());
        sockets.insert(sockets.end(), part->begin(), part->end());
    }
    return sockets;
}

}  // namespace reaper::scanner
