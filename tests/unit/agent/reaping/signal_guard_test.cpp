#include "agent/reaping/signal_guard.hpp"

#include <unistd.h>

#include "tests/support/catch.hpp"

using reaper::agent::make_signal_guard;
using reaper::agent::read_own_ancestors;
using reaper::agent::SignalGuard;
using reaper::scanner::Pid;

namespace {

bool refuses(const SignalGuard& guard, Pid pid) {
    const auto admitted = guard.admit(pid);
    return !admitted && admitted.error().code == std::errc::operation_canceled;
}

}  // namespace

TEST_CASE("Nothing makes the guard admit init, a group, or all processes") {
    const SignalGuard guard(std::vector<Pid>{});
    CHECK(refuses(guard, 1));
    CHECK(refuses(guard, 0));
    CHECK(refuses(guard, -1));
    CHECK(refuses(guard, -77));
}

TEST_CASE("The guard refuses this program itself") {
    CHECK(refuses(SignalGuard(std::vector<Pid>{}), getpid()));
}

TEST_CASE("The guard refuses every ancestor, and only those") {
    const SignalGuard guard(std::vector<Pid>{50000001, 50000002});
    CHECK(refuses(guard, 50000001));
    CHECK(refuses(guard, 50000002));
    CHECK(guard.admit(50000003));
}

TEST_CASE("Where own ancestors are not known, every process might be one") {
    const SignalGuard guard(reaper::failure(std::errc::permission_denied, "read", "/proc/7/stat"));
    CHECK(refuses(guard, 50000003));
}

TEST_CASE("Own ancestors are read from parent to the one below init") {
    const auto table = reaper::scanner::ProcessTable::open();
    REQUIRE(table);
    const auto ancestors = read_own_ancestors(*table);
    REQUIRE(ancestors);
    CHECK((getppid() <= 1 || ancestors->front() == getppid()));
    for (const Pid pid : *ancestors) CHECK(pid > 1);
    CHECK((getppid() <= 1 || refuses(make_signal_guard(), getppid())));
}
