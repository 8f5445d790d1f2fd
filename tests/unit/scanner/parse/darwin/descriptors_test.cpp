#include "scanner/parse/darwin/descriptors.hpp"

#include "scanner/parse/darwin/constants.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/darwin/records.hpp"

using namespace reaper::scanner::darwin;
using namespace reaper::test::darwin;
using reaper::scanner::Listener;

namespace {

template <class Parse>
void check_length(const std::string& bytes, Parse parse) {
    CHECK(parse(bytes));
    for (const std::string& wrong : {bytes.substr(1), bytes + "x", std::string()}) {
        const auto parsed = parse(wrong);
        REQUIRE_FALSE(parsed);
        CHECK(parsed.error().code == std::errc::invalid_argument);
    }
}

Socket listening(SocketKind kind, Listener listener) {
    Socket socket;
    socket.kind = kind;
    socket.handle = 0xabcdef0123456789;
    socket.listens = true;
    socket.listener = std::move(listener);
    return socket;
}

Socket parsed(const Socket& socket) {
    const auto found = parse_socket(socket_bytes(socket));
    REQUIRE(found);
    return *found;
}

}  // namespace

TEST_CASE("the descriptors of a process") {
    const std::vector<Descriptor> all{{0, kPipeType}, {1, kSocketType}, {255, 5}};
    CHECK(parse_descriptors(descriptor_bytes(all)) == all);
    CHECK(parse_descriptors("")->empty());
    CHECK_FALSE(parse_descriptors(descriptor_bytes(all).substr(1)));
}

TEST_CASE("one end of a pipe") {
    const PipeEnd alive{7, 8, false};
    CHECK(parse_pipe(pipe_bytes(alive)) == alive);
    const PipeEnd ended{7, 8, true};
    CHECK(parse_pipe(pipe_bytes(ended)) == ended);
    check_length(pipe_bytes(alive), parse_pipe);
}

TEST_CASE("an open file") {
    const Vnode vnode{16777232, 123456789012, 0100644, 1, 0x3000002, "/Users/ada/x.db-wal", true};
    CHECK(parse_vnode(vnode_bytes(vnode)) == vnode);
    const Vnode deleted{};
    CHECK(parse_vnode(vnode_bytes(deleted)) == deleted);
    check_length(vnode_bytes(vnode), parse_vnode);
}

TEST_CASE("a path that fills its field is read whole") {
    std::string bytes = vnode_bytes({});
    bytes.replace(vnode_info::kPath.offset, vnode_info::kPath.size, vnode_info::kPath.size, 'p');
    CHECK(parse_vnode(bytes)->path == std::string(vnode_info::kPath.size, 'p'));
}

TEST_CASE("sockets that listen") {
    const Socket tcp4 = listening(SocketKind::tcp, {"tcp", "127.0.0.1", 18999});
    CHECK(parsed(tcp4) == tcp4);
    const Socket any4 = listening(SocketKind::tcp, {"tcp", "0.0.0.0", 65535});
    CHECK(parsed(any4) == any4);
    const Socket tcp6 = listening(SocketKind::tcp, {"tcp6", "fe80::1", 1});
    CHECK(parsed(tcp6) == tcp6);
    const Socket local = listening(SocketKind::unix_domain, {"unix", "/tmp/a.sock", 0});
    CHECK(parsed(local) == local);
    const Socket unnamed = listening(SocketKind::unix_domain, {"unix", "", 0});
    CHECK(parsed(unnamed) == unnamed);
}

TEST_CASE("a TCP socket in any other state does not listen") {
    std::string bytes = socket_bytes(listening(SocketKind::tcp, {"tcp", "127.0.0.1", 80}));
    for (const int state : {0, 2, 4, 10}) {
        put(bytes, socket_info::kTcpState, state);
        CHECK_FALSE(parse_socket(bytes)->listens);
    }
}

TEST_CASE("the length of a unix address bounds its path") {
    std::string bytes =
        socket_bytes(listening(SocketKind::unix_domain, {"unix", "/tmp/a.sock", 0}));
    const auto path_of_length = [&bytes](unsigned char length) {
        bytes[socket_info::kUnixAddressLength] = static_cast<char>(length);
        return parse_socket(bytes)->listener.address;
    };
    CHECK(path_of_length(0).empty());
    CHECK(path_of_length(1).empty());
    CHECK(path_of_length(2).empty());
    CHECK(path_of_length(6) == "/tmp");
    CHECK(path_of_length(255) == "/tmp/a.sock");
}

TEST_CASE("the states of a connection") {
    Socket socket;
    socket.kind = SocketKind::unix_domain;
    socket.handle = 1;
    socket.peer = 2;
    CHECK(parsed(socket) == socket);
    socket.cannot_receive = true;  // its host has ended its writing
    CHECK(parsed(socket) == socket);
    socket.cannot_send = socket.disconnected = true;
    socket.peer = 0;
    CHECK(parsed(socket) == socket);
}

TEST_CASE("of another kind of socket only its handle and states are read") {
    Socket socket;
    socket.handle = 5;
    socket.disconnected = true;
    std::string bytes = socket_bytes(socket);
    put(bytes, socket_info::kUnixPeer, 77);
    put(bytes, socket_info::kTcpState, kTcpListens);
    put(bytes, socket_info::kOptions, kAccepts);
    CHECK(parse_socket(bytes) == socket);
    check_length(bytes, parse_socket);
}
