#include "scanner/parse/darwin/descriptors.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

#include "scanner/parse/darwin/constants.hpp"
#include "scanner/parse/darwin/record.hpp"

namespace reaper::scanner::darwin {

namespace {

constexpr std::size_t kAddressSize = 16;
constexpr std::size_t kUnixHeader = 2;  // length and family before the path

SocketKind kind_of(std::int32_t kind) {
    if (kind == kTcpKind) return SocketKind::tcp;
    return kind == kUnixKind ? SocketKind::unix_domain : SocketKind::other;
}

// The kernel keeps a port as an int, whose low half is in the order of the network.
std::uint16_t port_of(std::string_view reply) {
    return ntohs(static_cast<std::uint16_t>(get(reply, socket_info::kLocalPort)));
}

Listener tcp_listener(std::string_view reply) {
    const bool version6 = (get(reply, socket_info::kAddressVersion) & kVersion6) != 0;
    const std::string_view address = reply.substr(socket_info::kLocalAddress, kAddressSize);
    const char* begin = version6 ? address.data() : address.data() + kAddressSize - 4;
    std::array<char, INET6_ADDRSTRLEN> text{};
    const char* told =
        inet_ntop(version6 ? AF_INET6 : AF_INET, begin, text.data(), socklen_t{text.size()});
    return {version6 ? "tcp6" : "tcp", told == nullptr ? "" : told, port_of(reply)};
}

Listener unix_listener(std::string_view reply) {
    const std::size_t length = static_cast<unsigned char>(reply[socket_info::kUnixAddressLength]);
    const std::string path = get(reply, socket_info::kUnixPath);
    return {"unix", path.substr(0, length - std::min(length, kUnixHeader)), 0};
}

void add_tcp(std::string_view reply, Socket& socket) {
    socket.listens = get(reply, socket_info::kTcpState) == kTcpListens;
    if (socket.listens) socket.listener = tcp_listener(reply);
}

void add_unix(std::string_view reply, Socket& socket) {
    socket.listens = (get(reply, socket_info::kOptions) & kAccepts) != 0;
    if (socket.listens)
        socket.listener = unix_listener(reply);
    else
        socket.peer = get(reply, socket_info::kUnixPeer);
}

}  // namespace

Result<std::vector<Descriptor>> parse_descriptors(std::string_view reply) {
    if (reply.size() % descriptor_row::kSize != 0) return malformed("descriptors of that length");
    std::vector<Descriptor> found;
    found.reserve(reply.size() / descriptor_row::kSize);
    for (; !reply.empty(); reply.remove_prefix(descriptor_row::kSize))
        found.push_back({get(reply, descriptor_row::kNumber), get(reply, descriptor_row::kType)});
    return found;
}

Result<PipeEnd> parse_pipe(std::string_view reply) {
    if (reply.size() != pipe_info::kSize) return malformed("a pipe of that length");
    return PipeEnd{get(reply, pipe_info::kHandle), get(reply, pipe_info::kPeer),
                   (get(reply, pipe_info::kStatus) & kPipeEnded) != 0};
}

Result<Vnode> parse_vnode(std::string_view reply) {
    if (reply.size() != vnode_info::kSize) return malformed("a file of that length");
    Vnode vnode;
    vnode.device = get(reply, vnode_info::kDevice);
    vnode.inode = get(reply, vnode_info::kInode);
    vnode.mode = get(reply, vnode_info::kMode);
    vnode.links = get(reply, vnode_info::kLinks);
    vnode.special_device = get(reply, vnode_info::kSpecialDevice);
    vnode.path = get(reply, vnode_info::kPath);
    vnode.had_flock = (get(reply, open_file::kFlags) & kHadFlock) != 0;
    return vnode;
}

Result<Socket> parse_socket(std::string_view reply) {
    if (reply.size() != socket_info::kSize) return malformed("a socket of that length");
    const std::uint16_t state = get(reply, socket_info::kState);
    Socket socket;
    socket.kind = kind_of(get(reply, socket_info::kKind));
    socket.handle = get(reply, socket_info::kHandle);
    socket.cannot_send = (state & kCannotSend) != 0;
    socket.cannot_receive = (state & kCannotReceive) != 0;
    socket.disconnected = (state & kDisconnected) != 0;
    if (socket.kind == SocketKind::tcp) add_tcp(reply, socket);
    if (socket.kind == SocketKind::unix_domain) add_unix(reply, socket);
    return socket;
}

}  // namespace reaper::scanner::darwin
