// In a pid namespace of its own: it starts programs, and ends one that does not answer.
#include "agent/doctor/command_output.hpp"

#include <unistd.h>

#include <chrono>
#include <string>

#include "tests/support/catch.hpp"

namespace reaper::agent {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Result<CommandOutput> shell(const std::string& script, milliseconds time = seconds(20)) {
    return read_command({"/bin/sh", "-c", script}, time);
}

}  // namespace

TEST_CASE("A program's output and exit status come back, and nothing of its stderr") {
    const auto said = shell("echo one; echo two >&2; exit 3");
    REQUIRE(said);
    CHECK(said->text == "one\n");
    CHECK(said->status == 3);
    const auto stdin_is_empty = shell("wc -c");
    REQUIRE(stdin_is_empty);
    CHECK(std::stoi(stdin_is_empty->text) == 0);
    const auto missing = read_command({"/no/such/program"}, seconds(20));
    REQUIRE(missing);
    CHECK(missing->status == 127);
}

TEST_CASE("A program that does not answer is ended, whatever it ignores") {
    const std::string file = "/tmp/command_output_test." + std::to_string(::getpid());
    const auto began = std::chrono::steady_clock::now();
    const auto said = shell("trap '' TERM; echo $$ >" + file + "; while :; do sleep 0.05; done",
                            milliseconds(500));
    REQUIRE_FALSE(said);
    CHECK(said.error().code == std::errc::timed_out);
    CHECK(std::chrono::steady_clock::now() - began < seconds(10));
    const auto pid = shell("cat " + file + "; rm " + file);
    REQUIRE(pid);
    CHECK(::access(("/proc/" + std::to_string(std::stoi(pid->text))).c_str(), F_OK) != 0);
}

TEST_CASE("One that has closed its stdout and stays is ended, too") {
    const auto said = shell("exec >&-; exec sleep 1000", milliseconds(300));
    REQUIRE_FALSE(said);
    CHECK(said.error().code == std::errc::timed_out);
}

TEST_CASE("A program that prints without end is ended") {
    const auto said = shell("exec yes");
    REQUIRE_FALSE(said);
    CHECK(said.error().code == std::errc::file_too_large);
}

}  // namespace reaper::agent
