#include "agent/report/journal.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "scanner/fd.hpp"
#include "tests/support/catch.hpp"

namespace reaper::agent {

using std::chrono::milliseconds;

TEST_CASE("The journal has read a line when its socket is empty") {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
    const Fd own(ends[0]);
    const Fd other(ends[1]);
    CHECK(wait_until_read(own.get(), milliseconds(0)));
    REQUIRE(::write(own.get(), "line\n", 5) == 5);
    CHECK_FALSE(wait_until_read(own.get(), milliseconds(20)));
    std::array<char, 5> line{};
    ssize_t size = 0;
    std::thread reader([&] { size = ::read(other.get(), line.data(), line.size()); });
    const bool was_read = wait_until_read(own.get(), milliseconds(20'000));
    reader.join();
    CHECK(was_read);
    CHECK(size == 5);
}

TEST_CASE("What is no socket is not waited for") {
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), 0) == 0);
    const Fd reading(ends[0]);
    const Fd writing(ends[1]);
    REQUIRE(::write(writing.get(), "line\n", 5) == 5);
    CHECK(wait_until_read(writing.get(), milliseconds(20'000)));
    CHECK(wait_until_read(-1, milliseconds(20'000)));
}

}  // namespace reaper::agent
