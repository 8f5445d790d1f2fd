#include "scanner/linux/units.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <chrono>
#include <cstdlib>
#include <cstring>

#include "tests/support/catch.hpp"
#include "tests/support/subprocess.hpp"
#include "tests/support/temporary_folder.hpp"

using reaper::Fd;
using reaper::scanner::ask_units;
using reaper::scanner::UnitQuestion;

namespace {

using Clock = std::chrono::steady_clock;

// In a child, because the address is part of the environment.
int ask_at(const std::string& address) {
    return reaper::test::in_child([&] {
        ::setenv("DBUS_SYSTEM_BUS_ADDRESS", address.c_str(), 1);
        UnitQuestion question{"a.service", false, "/system.slice/a.service"};
        ask_units({&question, 1}, Clock::now() + std::chrono::seconds(1));
        return question.main_pid ? 1 : 0;
    });
}

}  // namespace

TEST_CASE("no manager, no answer") {
    CHECK(ask_at("unix:path=/nowhere/at/all") == 0);
    CHECK(ask_at("garbage") == 0);
}

TEST_CASE("a bus that hangs is waited for until the deadline") {
    const reaper::test::TemporaryFolder folder;
    const Fd server(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = folder / "bus";
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    REQUIRE(::bind(server.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::listen(server.get(), 1) == 0);
    const auto start = Clock::now();
    CHECK(ask_at("unix:path=" + path) == 0);
    CHECK(Clock::now() - start < std::chrono::seconds(3));
}
