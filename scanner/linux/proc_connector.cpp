#include "scanner/proc_connector.hpp"

#include <arpa/inet.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace reaper::scanner {

namespace {

constexpr const char* kWhat = "the proc connector";
constexpr std::chrono::milliseconds kAnswerTimeout{
    // For the answer of the kernel, which arrives within one.
    200};

// The kernel also reports forks, threads and user changes; the filter keeps those from waking this
// program. Filters read numbers in network byte order.
bool filter_events(int socket) {
    const std::uint32_t place = NLMSG_HDRLEN + sizeof(cn_msg);
    std::array<sock_filter, 6> program{
        {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, place),
         BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htonl(0x0), 3, 0),         // an answer
         BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htonl(0x2), 2, 0),         // exec
         BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htonl(0x80000000), 1, 0),  // exit
         BPF_STMT(BPF_RET | BPF_K, 0), BPF_STMT(BPF_RET | BPF_K, 0xffffffff)}};
    const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
    return ::setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) == 0;
}

bool ask_to_listen(int socket, std::uint32_t question) {
    const std::uint32_t wish = PROC_CN_MCAST_LISTEN;
    cn_msg message{};
    message.id = {CN_IDX_PROC, CN_VAL_PROC};
    message.ack = question;
    message.len = sizeof wish;
    std::array<std::byte, NLMSG_LENGTH(sizeof message + sizeof wish)> request{};
    nlmsghdr header{};
    header.nlmsg_len = request.size();
    header.nlmsg_type = NLMSG_DONE;
    header.nlmsg_pid = static_cast<std::uint32_t>(::getpid());
    std::memcpy(request.data(), &header, sizeof header);
    std::memcpy(request.data() + NLMSG_HDRLEN, &message, sizeof message);
    std::memcpy(request.data() + NLMSG_HDRLEN + sizeof message, &wish, sizeof wish);
    return ::send(socket, request.data(), request.size(), 0) ==
           static_cast<ssize_t>(request.size());
}

// Drops datagrams that the kernel did not send.
ssize_t receive(int socket, std::span<std::byte> space) {
    sockaddr_nl sender{};
    socklen_t length = sizeof sender;
    const ssize_t size = ::recvfrom(socket, space.data(), space.size(), MSG_DONTWAIT,
                                    reinterpret_cast<sockaddr*>(&sender), &length);
    return size > 0 && sender.nl_pid != 0 ? 0 : size;
}

// Returns 0 if the kernel agrees to send events, otherwise an errno. All listeners receive all
// answers, so ours is recognised by its number.
int wait_for_answer(int socket, std::uint32_t question) {
    const auto last_moment = std::chrono::steady_clock::now() + kAnswerTimeout;
    std::array<std::byte, 8192> space{};
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(
            last_moment - std::chrono::steady_clock::now());
        pollfd entry{socket, POLLIN, 0};
        if (left.count() <= 0 || ::poll(&entry, 1, static_cast<int>(left.count())) <= 0)
            return ETIMEDOUT;
        const ssize_t size = receive(socket, space);
        if (size <= 0) continue;
        for (const ProcEvent& event :
             parse_proc_events(std::span(space).first(static_cast<std::size_t>(size)))) {
            if (event.kind == ProcEventKind::answer && event.answers == question + 1)
                return static_cast<int>(event.error);
        }
    }
}

}  // namespace

Result<ProcConnector> ProcConnector::open() {
    Fd socket(::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_CONNECTOR));
    if (!socket) return system_failure("open", kWhat);
    sockaddr_nl address{};
    address.nl_family = AF_NETLINK;
    address.nl_groups = CN_IDX_PROC;
    const bool joined =
        filter_events(socket.get()) &&
        ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    const auto question = static_cast<std::uint32_t>(::getpid());
    if (!joined || !ask_to_listen(socket.get(), question))
        return system_failure("listen to", kWhat);
    errno = wait_for_answer(socket.get(), question);
    if (errno != 0) return system_failure("listen to", kWhat);
    return ProcConnector(std::move(socket));
}

ProcConnector::Hints ProcConnector::take() const {
    Hints hints;
    std::array<std::byte, 8192> space{};
    for (;;) {
        const ssize_t size = receive(socket_.get(), space);
        if (size < 0 && errno == EINTR) continue;
        // ENOBUFS: the kernel dropped some hints, and says so once.
        if (size < 0 && errno == ENOBUFS)
            hints.lost = true;
        else if (size < 0)
            return hints;
        if (size <= 0) continue;
        for (const ProcEvent& event :
             parse_proc_events(std::span(space).first(static_cast<std::size_t>(size)))) {
            const bool told =
                event.kind == ProcEventKind::executed || event.kind == ProcEventKind::exited;
            if (told && !event.thread) hints.events.push_back(event);
        }
    }
}

}  // namespace reaper::scanner
