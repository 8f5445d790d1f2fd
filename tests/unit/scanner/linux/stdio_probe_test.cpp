#include "scanner/linux/stdio_probe.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "scanner/directory.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/subprocess.hpp"

using namespace reaper::scanner;
using reaper::Fd;
using reaper::test::Ends;
using reaper::test::Forked;
using reaper::test::in_child;
using reaper::test::make_pipe;
using reaper::test::make_socketpair;
using reaper::test::put;

namespace {

Reading<StdioEnd> probe(const Forked& child, StandardStream stream, bool same_network = true) {
    const auto process = open_process(ProcessTable::open().value(), child.pid());
    return probe_stdio(process.value().get(), ::geteuid(), stream, same_network);
}

StdioEnd stdin_of(const Forked& child) {
    const auto end = probe(child, StandardStream::input);
    REQUIRE(end.ok());
    return end.value;
}

StdioEnd stdout_of(const Forked& child) {
    const auto end = probe(child, StandardStream::output);
    REQUIRE(end.ok());
    return end.value;
}

// A child that has `ends.first` at `number`; the other end stays with the test alone.
void give(const Ends& ends, int number) {
    put(ends.first, number);
    ::close(ends.first.get());
    ::close(ends.second.get());
}

}  // namespace

TEST_CASE("stdin is a pipe: alive while the host holds the other end, dead after") {
    Ends pipe = make_pipe();
    const Forked child([&] { give(pipe, 0); });
    CHECK(stdin_of(child).kind == EndKind::pipe);
    CHECK(stdin_of(child).peer == PeerState::alive);
    CHECK(stdin_of(child).inode != 0);
    pipe.second.reset();
    CHECK(stdin_of(child).peer == PeerState::dead);
}

TEST_CASE("unread data does not keep a pipe alive, and stays unread") {
    Ends pipe = make_pipe();
    const Forked child([&] { give(pipe, 0); });
    REQUIRE(::write(pipe.second.get(), "hello", 5) == 5);
    CHECK(stdin_of(child).peer == PeerState::alive);
    pipe.second.reset();
    CHECK(stdin_of(child).peer == PeerState::dead);
    char bytes[8];
    CHECK(::read(pipe.first.get(), bytes, sizeof bytes) == 5);
}

TEST_CASE("a sibling, or the process itself, that holds the writing end keeps the pipe alive") {
    Ends pipe = make_pipe();
    auto sibling = std::make_unique<Forked>([&] { pipe.first.reset(); });
    const Forked child([&] { give(pipe, 0); });
    pipe.second.reset();
    CHECK(stdin_of(child).peer == PeerState::alive);
    sibling.reset();
    CHECK(stdin_of(child).peer == PeerState::dead);

    Ends own = make_pipe();
    const Forked keeper([&] { put(own.first, 0); });
    own.second.reset();
    CHECK(stdin_of(keeper).peer == PeerState::alive);
}

TEST_CASE("stdout is a pipe: dead when nothing can read") {
    Ends pipe = make_pipe();
    std::swap(pipe.first, pipe.second);
    const Forked child([&] { give(pipe, 1); });
    pipe.first.reset();
    CHECK(stdout_of(child).kind == EndKind::pipe);
    CHECK(stdout_of(child).peer == PeerState::alive);
    pipe.second.reset();
    CHECK(stdout_of(child).peer == PeerState::dead);
}

namespace {

struct Terminal {
    Fd master{::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)};
    Fd line;

    Terminal() {
        if (::unlockpt(master.get()) == 0)
            line = Fd(::open(::ptsname(master.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
    }
};

void check_terminal(const Forked& child, PeerState peer) {
    CHECK(stdin_of(child).kind == EndKind::terminal);
    CHECK(stdin_of(child).peer == peer);
    CHECK(stdout_of(child).kind == EndKind::terminal);
    CHECK(stdout_of(child).peer == peer);
}

}  // namespace

TEST_CASE("a terminal is alive while its master is open, and dead for good after") {
    Terminal terminal;
    REQUIRE(terminal.line);
    const std::string name = ::ptsname(terminal.master.get());
    const bool controlling = GENERATE(false, true);
    const Forked child([&] {
        ::signal(SIGHUP, SIG_IGN);
        if (controlling) ::setsid(), ::ioctl(terminal.line.get(), TIOCSCTTY, 0);
        put(terminal.line, 0), put(terminal.line, 1);
        terminal.master.reset(), terminal.line.reset();
    });
    terminal.line.reset();
    check_terminal(child, PeerState::alive);
    terminal.master.reset();
    check_terminal(child, PeerState::dead);
    const Terminal
        next;  // the kernel keeps the number of the dead one as long as a process holds it
    CHECK(::ptsname(next.master.get()) != name);
    check_terminal(child, PeerState::dead);
}

TEST_CASE("a terminal that many hold is alive while any master is") {
    Terminal terminal;
    auto multiplexer = std::make_unique<Forked>([&] { terminal.line.reset(); });
    const Forked child([&] {
        ::signal(SIGHUP, SIG_IGN);
        put(terminal.line, 0), put(terminal.line, 1);
        terminal.master.reset();
    });
    terminal.master.reset();
    check_terminal(child, PeerState::alive);
    multiplexer.reset();
    check_terminal(child, PeerState::dead);
}

TEST_CASE("kinds that have no other end") {
    const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    const Fd zero(::open("/dev/zero", O_RDWR | O_CLOEXEC));
    const Fd file(::open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    const Fd terminal(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    REQUIRE(::unlockpt(terminal.get()) == 0);
    const Fd line(::open(::ptsname(terminal.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
    const Forked quiet([&] { put(null, 0), put(file, 1); });
    CHECK(stdin_of(quiet).kind == EndKind::null_device);
    CHECK(stdin_of(quiet).peer == PeerState::unknown);
    CHECK(stdout_of(quiet).kind == EndKind::file);
    const Forked typing([&] { put(line, 0), put(zero, 1); });
    CHECK(stdin_of(typing).kind == EndKind::terminal);
    CHECK(stdout_of(typing).kind == EndKind::other);
    const Forked bare([&] { ::close(0), ::close(1); });
    CHECK(stdin_of(bare) == StdioEnd{EndKind::closed, PeerState::unknown, 0, {}});
    CHECK(stdout_of(bare).kind == EndKind::closed);
}

TEST_CASE("a FIFO with a name proves nothing") {
    const std::string path = "/tmp/stdio_probe." + std::to_string(::getpid());
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    Fd reader(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    std::filesystem::remove(path);
    const Forked child([&] { put(reader, 0); });
    CHECK(stdin_of(child).kind == EndKind::fifo);
    CHECK(stdin_of(child).peer == PeerState::unknown);
}

TEST_CASE("socketpairs, as node makes them") {
    Ends in = make_socketpair();
    Ends out = make_socketpair();
    const Forked child([&] { give(in, 0), give(out, 1); });
    in.first.reset();
    out.first.reset();
    CHECK(stdin_of(child).kind == EndKind::socket);
    CHECK(stdin_of(child).peer == PeerState::alive);
    CHECK(stdout_of(child).peer == PeerState::alive);

    SECTION("the host is gone") {
        in.second.reset();
        out.second.reset();
        CHECK(stdin_of(child).peer == PeerState::dead);
        CHECK(stdout_of(child).peer == PeerState::dead);
    }
    SECTION("the host called child.stdin.end() and reads on") {
        REQUIRE(::shutdown(in.second.get(), SHUT_WR) == 0);
        CHECK(stdin_of(child).peer == PeerState::dead);
        CHECK(stdout_of(child).peer == PeerState::alive);
        in.second.reset();
        CHECK(stdin_of(child).peer == PeerState::dead);
        CHECK(stdout_of(child).peer == PeerState::alive);
    }
    SECTION("seen from another network namespace") {
        in.second.reset();
        CHECK(probe(child, StandardStream::input, false).value.peer == PeerState::unknown);
    }
}

TEST_CASE("a connection that was not accepted yet is not dead") {
    const Fd server(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;  // and no name: the kernel chooses an abstract one
    REQUIRE(::bind(server.get(), reinterpret_cast<sockaddr*>(&address), sizeof(sa_family_t)) == 0);
    REQUIRE(::listen(server.get(), 1) == 0);
    socklen_t size = sizeof address;
    REQUIRE(::getsockname(server.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0);
    const Fd client(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    REQUIRE(::connect(client.get(), reinterpret_cast<sockaddr*>(&address), size) == 0);
    const Forked child([&] { put(client, 0), put(client, 1); });
    CHECK(stdin_of(child).peer == PeerState::unknown);
    CHECK(stdout_of(child).peer == PeerState::unknown);
}

TEST_CASE("a socket that is no unix socket proves nothing") {
    const Fd tcp(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const Forked child([&] { put(tcp, 0); });
    CHECK(stdin_of(child).kind == EndKind::socket);
    CHECK(stdin_of(child).peer == PeerState::unknown);
}

TEST_CASE("another user's descriptors cannot be looked at, and that is said") {
    if (::geteuid() != 0) return;
    const Forked child;
    CHECK(in_child([&] {
              if (::setuid(65534) != 0) return 1;
              return probe(child, StandardStream::input).access == Access::denied ? 0 : 2;
          }) == 0);
}
