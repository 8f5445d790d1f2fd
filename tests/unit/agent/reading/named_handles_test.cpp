// Handles where they can neither be inherited nor sent. Runs inside a pid namespace of its own.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <utility>

#include "agent/reading/handle_transfer.hpp"
#include "agent/reaping/child.hpp"
#include "tests/support/catch.hpp"

namespace reaper::agent {

TEST_CASE("A handle is opened anew by the name of its process") {
    const auto child = start({{"sleep", "100"}});
    REQUIRE(child);
    const HandleName name = name_of(child->handle());
    CHECK(name.pid == child->handle().pid());
    CHECK(name.inode != 0);
    const auto again = handle_of(name, std::nullopt);
    REQUIRE(again);
    CHECK_FALSE(again->exited());
    ::kill(child->handle().pid(), SIGKILL);
    REQUIRE(child->wait());
    CHECK(again->exited());
}

// A copy of this process does not inherit it: its number is free there, and is given to the next.
TEST_CASE("The number of a handle that did not come along is not closed for the new one") {
    const auto child = start({{"sleep", "100"}});
    REQUIRE(child);
    auto lost = scanner::PidHandle::open(child->handle().pid());
    REQUIRE(lost);
    ::close(lost->raw());
    const auto again = handle_of(name_of(child->handle()), std::move(*lost));
    REQUIRE(again);
    CHECK(::fcntl(again->raw(), F_GETFD) >= 0);
    ::kill(child->handle().pid(), SIGKILL);
    REQUIRE(child->wait());
    CHECK(again->exited());
}

TEST_CASE("Neither a process that has ended nor another one of its pid is found by the name") {
    const auto child = start({{"sleep", "100"}});
    REQUIRE(child);
    HandleName other = name_of(child->handle());
    ++other.inode;
    CHECK(handle_of(other, std::nullopt).error().code == std::errc::no_such_process);
    CHECK_FALSE(handles_travel());
    ::kill(child->handle().pid(), SIGKILL);
    REQUIRE(child->wait());
    CHECK(handle_of(name_of(child->handle()), std::nullopt).error().code ==
          std::errc::no_such_process);
}

}  // namespace reaper::agent
