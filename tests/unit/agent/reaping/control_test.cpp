// The door itself, with real signals to real children. Runs inside a pid namespace of its own
// (tests/support/isolated).
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "agent/reaping/process_control.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/quiet_child.hpp"

using reaper::agent::Delivery;
using reaper::agent::make_dry_run_control;
using reaper::agent::make_process_control;
using reaper::agent::Signal;
using reaper::scanner::PidHandle;
using reaper::test::QuietChild;

namespace {

// How it ended, after it has ended.
siginfo_t wait_for_end(const QuietChild& child) {
    siginfo_t info{};
    while (waitid(P_PID, static_cast<id_t>(child.pid()), &info, WEXITED | WNOWAIT) != 0) continue;
    return info;
}

}  // namespace

TEST_CASE("TERM and KILL arrive as what they are") {
    const auto control = make_process_control();
    const auto [signal, number] =
        GENERATE(std::pair{Signal::terminate, SIGTERM}, std::pair{Signal::kill, SIGKILL});
    const QuietChild child;
    const auto delivery = control->send(child.handle(), signal);
    REQUIRE(delivery);
    CHECK(*delivery == Delivery::sent);
    const auto info = wait_for_end(child);
    CHECK(info.si_code == CLD_KILLED);
    CHECK(info.si_status == number);
}

TEST_CASE("CONT wakes a stopped process, which then sees its TERM") {
    const auto control = make_process_control();
    const QuietChild child;
    const PidHandle handle = child.handle();
    REQUIRE(kill(child.pid(), SIGSTOP) == 0);
    siginfo_t info{};
    REQUIRE(waitid(P_PID, static_cast<id_t>(child.pid()), &info, WSTOPPED) == 0);

    REQUIRE(control->send(handle, Signal::terminate));
    usleep(50'000);
    CHECK_FALSE(handle.exited());
    REQUIRE(control->send(handle, Signal::resume));
    CHECK(wait_for_end(child).si_status == SIGTERM);
}

TEST_CASE("A process that was reaped is gone, whatever has its pid now") {
    const auto control = make_process_control();
    auto child = std::make_unique<QuietChild>();
    const PidHandle handle = child->handle();
    child.reset();
    const auto delivery = control->send(handle, Signal::kill);
    REQUIRE_FALSE(delivery);
    CHECK(delivery.error().code == std::errc::no_such_process);
}

TEST_CASE("A process of another user is not ours to signal") {
    const QuietChild child;
    const PidHandle handle = child.handle();
    const auto attempt = [&handle] {
        const auto control = make_process_control();
        if (setresuid(65534, 65534, 65534) != 0) return 2;
        const auto delivery = control->send(handle, Signal::terminate);
        return !delivery && delivery.error().code == std::errc::operation_not_permitted ? 0 : 1;
    };
    const pid_t other_user = fork();
    if (other_user == 0) {
        alarm(30);
        _exit(attempt());
    }
    int status = -1;
    REQUIRE(waitpid(other_user, &status, 0) == other_user);
    CHECK(status == 0);
    CHECK_FALSE(handle.exited());
}

// CONT does no harm, should the guard be missing.
TEST_CASE("Init, this program and its ancestors are refused by both doors") {
    const bool dry = GENERATE(false, true);
    const auto control = dry ? make_dry_run_control() : make_process_control();
    for (const reaper::scanner::Pid pid : {1, getpid(), getppid()}) {
        const auto handle = PidHandle::open(pid);
        REQUIRE(handle);
        for (const auto& answer :
             {control->admit(*handle), control->send(*handle, Signal::resume)}) {
            REQUIRE_FALSE(answer);
            CHECK(answer.error().code == std::errc::operation_canceled);
        }
    }
}

TEST_CASE("To be admitted is not to be signalled") {
    const QuietChild child;
    const PidHandle handle = child.handle();
    const auto real = make_process_control()->admit(handle);
    const auto dry = make_dry_run_control()->admit(handle);
    REQUIRE(real);
    REQUIRE(dry);
    CHECK(*real == Delivery::sent);
    CHECK(*dry == Delivery::withheld);
    usleep(50'000);
    CHECK_FALSE(handle.exited());
}

TEST_CASE("A grandparent is refused too") {
    const PidHandle grandparent = *PidHandle::open(getpid());
    const pid_t parent = fork();
    if (parent == 0) {
        alarm(30);
        const pid_t grandchild = fork();
        if (grandchild == 0) {
            alarm(30);
            const auto delivery = make_process_control()->send(grandparent, Signal::resume);
            _exit(!delivery && delivery.error().code == std::errc::operation_canceled ? 0 : 1);
        }
        int status = -1;
        waitpid(grandchild, &status, 0);
        _exit(status == 0 ? 0 : 1);
    }
    int status = -1;
    REQUIRE(waitpid(parent, &status, 0) == parent);
    CHECK(status == 0);
}

TEST_CASE("A dry run withholds every signal") {
    const auto control = make_dry_run_control();
    const QuietChild child;
    const PidHandle handle = child.handle();
    for (const Signal signal : {Signal::terminate, Signal::resume, Signal::kill}) {
        const auto delivery = control->send(handle, signal);
        REQUIRE(delivery);
        CHECK(*delivery == Delivery::withheld);
    }
    usleep(50'000);
    CHECK_FALSE(handle.exited());
}
