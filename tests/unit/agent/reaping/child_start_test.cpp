// The start of a child when a call of the kernel fails or is interrupted. Runs inside a pid
// namespace of its own (tests/support/isolated).
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "agent/reaping/child.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/failing_call.hpp"
#include "tests/support/temporary_folder.hpp"

using reaper::Fd;
using reaper::agent::branch;
using reaper::agent::Launch;
using reaper::agent::shell_status;
using reaper::agent::start;

namespace {

// Waits for a child of the test; what hangs there ends by its alarm.
int status_of(pid_t child) {
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return shell_status(status);
}

// Leaves room for `more` descriptors while `work` runs.
template <class Work>
auto with_few_descriptors(rlim_t more, const Work& work) {
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    const Fd next(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const rlimit tight{static_cast<rlim_t>(next.get()) + 1 + more, before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &tight) == 0);
    auto result = work();
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
    return result;
}

}  // namespace

TEST_CASE("A child that cannot read the word of its parent starts nothing") {
    const pid_t middle = ::fork();
    if (middle == 0) {
        ::alarm(20);
        reaper::test::make_call_fail(SYS_read, EIO);
        const auto child = start({{"true"}});
        ::_exit(child ? child->wait().value_or(99) : 98);
    }
    CHECK(status_of(middle) == 125);
}

TEST_CASE("A program whose child cannot be held by a handle has not done anything") {
    const reaper::test::TemporaryFolder folder;
    const std::string trace = folder.path() + "/trace";
    const auto child =
        with_few_descriptors(2, [&] { return start({{"sh", "-c", "echo > " + trace}}); });
    REQUIRE_FALSE(child);
    CHECK(::access(trace.c_str(), F_OK) != 0);
}

TEST_CASE("A program starts with the signals blocked that it was told to, as it sees them itself") {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    Launch command{{"grep", "-q", "^SigBlk:.0000000000000200$", "/proc/self/status"}};
    command.mask.emplace();
    sigemptyset(&*command.mask);
    sigaddset(&*command.mask, SIGUSR1);
    ::sigprocmask(SIG_SETMASK, &all, &before);
    const auto child = start(command);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    REQUIRE(child);
    CHECK(child->wait() == 0);
}

TEST_CASE("A signal that arrives while a child is waited for does not end the wait") {
    struct sigaction interrupting{};
    struct sigaction before{};
    interrupting.sa_handler = [](int) {};
    ::sigaction(SIGUSR1, &interrupting, &before);
    const auto child = start({{"sh", "-c",
                               "for i in 1 2 3 4 5 6 7 8 9 10; do kill -USR1 $PPID; sleep 0.01; "
                               "done; exit 7"}});
    REQUIRE(child);
    const auto status = child->wait();
    ::sigaction(SIGUSR1, &before, nullptr);
    CHECK(status == 7);
}

TEST_CASE("A child that was waited for elsewhere has no status to tell") {
    const auto child = start({{"sh", "-c", "exit 7"}});
    REQUIRE(child);
    CHECK(status_of(child->handle().pid()) == 7);
    const auto status = child->wait();
    REQUIRE_FALSE(status);
    CHECK(status.error().code == std::errc::no_child_process);
}

TEST_CASE("A copy of this program does its work, and exits with what that returns") {
    const auto child = branch([] { return 42; });
    REQUIRE(child);
    CHECK(child->wait() == 42);
}

TEST_CASE("A copy of this program that cannot be held by a handle does not work") {
    const auto child = with_few_descriptors(2, [] { return branch([] { return 42; }); });
    REQUIRE_FALSE(child);
    CHECK(child.error().code == std::errc::too_many_files_open);
    CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
}
