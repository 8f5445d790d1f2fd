// What only Linux does for a child. Runs inside a pid namespace of its own
// (tests/support/isolated).
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "agent/reaping/child.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

using reaper::Fd;
using reaper::agent::Launch;
using reaper::agent::shell_status;
using reaper::agent::start;

TEST_CASE("It is told when the one that started it dies, where that was asked") {
    const bool asked = GENERATE(true, false);
    const reaper::test::TemporaryFolder folder;
    const std::string told = folder.path() + "/told";
    const pid_t middle = ::fork();
    if (middle == 0) {
        Launch command{
            {"sh", "-c",
             "trap 'echo TERM > " + told + "; exit' TERM; echo > " + told +
                 ".ready; for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.1; done; echo no > " + told}};
        command.term_on_parent_exit = asked;
        const auto child = start(command);
        while (child && ::access((told + ".ready").c_str(), F_OK) != 0) ::usleep(1000);
        ::_exit(child ? 0 : 1);
    }
    int status = -1;
    ::waitpid(middle, &status, 0);
    REQUIRE(status == 0);
    while (::access(told.c_str(), F_OK) != 0) ::usleep(10'000);
    ::usleep(50'000);
    char word[8] = {};
    const Fd file(::open(told.c_str(), O_RDONLY | O_CLOEXEC));
    REQUIRE(::read(file.get(), word, sizeof word - 1) > 0);
    CHECK(std::string(word) == (asked ? "TERM\n" : "no\n"));
}

TEST_CASE("A child that cannot be made is no child, and no other is waited for in its place") {
    const pid_t other = ::fork();
    if (other == 0) ::_exit(7);
    Launch command{{"true"}};
    const Fd no_cgroup(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    command.cgroup = no_cgroup.get();
    const auto child = start(command);
    REQUIRE_FALSE(child);
    CHECK(child.error().code == std::errc::bad_file_descriptor);
    int status = 0;
    REQUIRE(::waitpid(other, &status, 0) == other);
    CHECK(shell_status(status) == 7);
}
