#include "scanner/pid_handle.hpp"

#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <future>
#include <limits>
#include <thread>

#include "tests/support/catch.hpp"
#include "tests/support/failing_call.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/reuse_pid.hpp"
#include "tests/support/subprocess.hpp"

using reaper::scanner::PidHandle;
using reaper::test::Forked;
using reaper::test::in_child;

namespace {

std::error_code refusal(reaper::scanner::Pid pid) {
    const auto handle = PidHandle::open(pid);
    return handle ? std::error_code() : handle.error().code;
}

// Linux 6.9
bool kernel_has_pidfs() {
    utsname name{};
    ::uname(&name);
    char* rest = nullptr;
    const long major = std::strtol(name.release, &rest, 10);
    const long minor = std::strtol(rest + 1, nullptr, 10);
    return major > 6 || (major == 6 && minor >= 9);
}

bool refused_with(unsigned error, std::errc expected) {
    return in_child([&] {
               reaper::test::make_call_fail(SYS_pidfd_open, error);
               return refusal(::getpid()) == expected ? 0 : 1;
           }) == 0;
}

// The old handle is dead and stays so; the new process with the same pid is another one.
int reuse_a_pid() {
    constexpr pid_t kPid = 300;
    const pid_t first = reaper::test::fork_with_pid(kPid);
    if (first == 0) ::pause();
    if (first != kPid) return 2;
    const auto old_handle = PidHandle::open(kPid);
    if (!old_handle || old_handle->exited()) return 3;
    const auto old_inode = old_handle->inode();
    ::kill(first, SIGKILL);
    ::waitpid(first, nullptr, 0);
    if (reaper::test::fork_with_pid(kPid) == 0) ::pause();
    const auto new_handle = PidHandle::open(kPid);
    if (!new_handle || new_handle->exited()) return 4;
    if (!old_handle->exited()) return 5;
    if (old_inode.has_value() != new_handle->inode().has_value()) return 6;
    return old_inode && old_inode == new_handle->inode() ? 7 : 0;
}

}  // namespace

TEST_CASE("a handle tells when its process has exited") {
    Forked child;
    const PidHandle handle = child.handle();
    CHECK(handle.pid() == child.pid());
    CHECK_FALSE(handle.exited());
    CHECK_FALSE(handle.wait_status());
    child.end();
    CHECK(handle.exited());
    child.reap();
    CHECK(handle.exited());
    CHECK(handle.wait_status().value_or(0) == 0);
    CHECK(refusal(handle.pid()) == std::errc::no_such_process);
}

TEST_CASE("how a process died, where the kernel tells") {
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::pause();
    }
    const auto handle = PidHandle::open(pid);
    REQUIRE(handle);
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    CHECK(handle->wait_status().value_or(SIGKILL) == SIGKILL);
}

TEST_CASE("a process whose main thread has ended has not exited") {
    const reaper::test::MainThreadGone child;
    const auto handle = PidHandle::open(child.pid());
    REQUIRE(handle);
    CHECK_FALSE(handle->exited());
}

TEST_CASE("numbers that no process can have are refused") {
    for (const int pid : {0, -1, -4711, std::numeric_limits<int>::min()})
        CHECK(refusal(pid) == std::errc::invalid_argument);
    CHECK(refusal(std::numeric_limits<int>::max()) == std::errc::no_such_process);
}

TEST_CASE("a thread is no process") {
    std::promise<pid_t> tid;
    std::promise<void> done;
    std::thread thread([&] {
        tid.set_value(static_cast<pid_t>(::syscall(SYS_gettid)));
        done.get_future().wait();
    });
    CHECK(refusal(tid.get_future().get()) == std::errc::no_such_process);
    done.set_value();
    thread.join();
}

TEST_CASE("two handles of one process have one inode, of two processes two") {
    const Forked one;
    const Forked other;
    const auto inode = one.handle().inode();
    CHECK(one.handle().inode() == inode);
    if (inode) CHECK(other.handle().inode() != inode);
    CHECK(other.handle().inode().has_value() == inode.has_value());
    CHECK(inode.has_value() == kernel_has_pidfs());
}

TEST_CASE("no process, and could not look, are different") {
    CHECK(refused_with(ESRCH, std::errc::no_such_process));
    CHECK(refused_with(EINVAL, std::errc::no_such_process));  // just dying, on older kernels
    CHECK(refused_with(ENOENT, std::errc::no_such_process));
    CHECK(refused_with(ENOSYS, std::errc::function_not_supported));
    CHECK(refused_with(EMFILE, std::errc::too_many_files_open));
    CHECK(refused_with(ENOMEM, std::errc::not_enough_memory));
    CHECK(refused_with(EPERM, std::errc::operation_not_permitted));
}

TEST_CASE("a pid that is used again is another process") {
    const int result = reaper::test::in_private_namespace(reuse_a_pid);
    if (result == -1) WARN("not checked: no private pid namespace here");
    CHECK((result == 0 || result == -1));
}
