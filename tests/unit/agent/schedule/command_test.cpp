// Real children. Runs inside a pid namespace of its own (tests/support/isolated).
#include "agent/reaping/command.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "agent/schedule/carry_out.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace reaper::agent;

namespace {

CommandCall shell(const std::string& script) {
    return {{"sh", "-c", script}};
}

}  // namespace

TEST_CASE("A command is asked, with what it reads and what it says") {
    CommandCall call = shell("cat; echo \"$LC_ALL $TZ $MORE\"; echo wrong >&2; exit 3");
    call.input = std::string(300'000, 'x');
    call.environment = {"MORE=more"};
    const auto answer = ask(call);
    REQUIRE(answer);
    CHECK(answer->status == 3);
    CHECK(answer->out == call.input + "C UTC more\n");
    CHECK(answer->err == "wrong\n");
    CHECK(complaint(*answer) == "wrong");
}

TEST_CASE("For root a program is that of the system, whatever PATH says") {
    const reaper::test::TemporaryFolder folder;
    folder.write("crontab", "#!/bin/sh\necho planted\n");
    std::filesystem::permissions(folder / "crontab", std::filesystem::perms::owner_all);
    const std::string before = std::getenv("PATH");
    ::setenv("PATH", (std::string(folder.path()) + ":" + before).c_str(), 1);
    const auto answer = ask({{"crontab", "-V"}});
    ::setenv("PATH", before.c_str(), 1);
    REQUIRE(answer);
    CHECK((answer->out == "planted\n") == (::geteuid() != 0));
}

TEST_CASE("A program that is not there is 127") {
    const auto answer = ask({{"/nowhere/program"}});
    REQUIRE(answer);
    CHECK(answer->status == 127);
}

TEST_CASE("What says too much is not taken for what it said first") {
    const auto answer = ask(shell("head -c 70000000 /dev/zero"));
    REQUIRE(!answer);
    CHECK(answer.error().code == std::errc::file_too_large);
    CHECK(ask(shell("head -c 4000000 /dev/zero"))->out.size() == 4'000'000);
}

TEST_CASE("What prints without end, or has closed its output and stays, is ended") {
    CommandCall call = shell("exec yes");
    CHECK(ask(call).error().code == std::errc::file_too_large);
    call = shell("exec >&-; exec sleep 1000");
    call.limit = std::chrono::milliseconds(300);
    CHECK(ask(call).error().code == std::errc::timed_out);
}

TEST_CASE("A command that ignores TERM is ended as well") {
    const reaper::test::TemporaryFolder folder;
    CommandCall call =
        shell("trap '' TERM; echo $$ >" + (folder / "pid") + "; while :; do sleep 0.05; done");
    call.limit = std::chrono::milliseconds(500);
    CHECK(ask(call).error().code == std::errc::timed_out);
    const auto pid = ask(shell("cat " + (folder / "pid")));
    REQUIRE(pid);
    CHECK(!std::filesystem::exists("/proc/" + std::to_string(std::stoi(pid->out))));
}

TEST_CASE("A command that takes too long is killed") {
    CommandCall call{{"sleep", "60"}};
    call.limit = std::chrono::milliseconds(50);
    const auto begin = std::chrono::steady_clock::now();
    const auto answer = ask(call);
    REQUIRE(!answer);
    CHECK(answer.error().code == std::errc::timed_out);
    CHECK(answer.error().subject == "sleep 60");
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
}

TEST_CASE("Steps are carried out until one fails, and leave no empty folder when they go") {
    using Kind = ScheduleStep::Kind;
    const reaper::test::TemporaryFolder folder;
    const std::string path = folder / "a/b/file";
    const ScheduleStep write{.kind = Kind::write_file, .path = path, .text = "text\n"};
    const ScheduleStep fails{.argv = {"sh", "-c", "echo no >&2; exit 1"}};
    ScheduleStep may_fail = fails;
    may_fail.may_fail = true;
    const ScheduleStep reads{.text = "text\n", .argv = {"cmp", path, "-"}};
    const ScheduleStep remove{.kind = Kind::remove_file, .path = path};
    CHECK(carry_out({write, may_fail, reads}, folder.path()));
    const auto failed = carry_out({fails, remove}, folder.path());
    REQUIRE(!failed);
    CHECK(describe(failed.error()).find("'sh -c 'echo no") != std::string::npos);
    CHECK(std::filesystem::exists(path));
    folder.write("a/other", "");
    CHECK(carry_out({remove, remove}, folder.path()));
    CHECK(!std::filesystem::exists(folder / "a/b"));
    CHECK(std::filesystem::exists(folder / "a/other"));
}
