// How this program stops itself, and how it ends a whole cgroup. Runs inside a pid namespace of its
// own (tests/support/isolated).
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <string>

#include "agent/reaping/child.hpp"
#include "agent/reaping/process_control.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

using reaper::Fd;
using reaper::agent::branch;
using reaper::agent::kill_all_in_cgroup;
using reaper::agent::stop_by;

namespace {

constexpr int kPending = 3;

// In a group of its own, as the kernel stops no orphaned group by TSTP.
int stop_self(int signal, bool meant) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTSTP);
    ::sigprocmask(SIG_BLOCK, &set, nullptr);
    ::setpgid(0, 0);
    stop_by(signal, [meant] { return meant; });
    ::sigpending(&set);
    return sigismember(&set, SIGTSTP) == 1 ? kPending : 0;
}

// Returns the signal that stopped it, 0 for none; it has ended afterwards.
int stopped_by(int signal, bool meant) {
    const auto child = branch([=] { return stop_self(signal, meant); });
    REQUIRE(child);
    const auto id = static_cast<id_t>(child->handle().pid());
    siginfo_t info{};
    REQUIRE(::waitid(P_PID, id, &info, WSTOPPED | WEXITED | WNOWAIT) == 0);
    const bool stopped = info.si_code == CLD_STOPPED;
    if (stopped) REQUIRE(reaper::agent::pass_on(child->handle(), SIGCONT));
    CHECK(child->wait() == 0);
    return stopped ? info.si_status : 0;
}

}  // namespace

TEST_CASE("A program stops by the signal that it was sent, and goes on after CONT") {
    CHECK(stopped_by(SIGTSTP, true) == SIGTSTP);
    CHECK(stopped_by(SIGSTOP, true) == SIGSTOP);
}

TEST_CASE("A stop that is no longer meant does not come, and does not wait for later") {
    CHECK(stopped_by(SIGTSTP, false) == 0);
    CHECK(stopped_by(SIGSTOP, false) == 0);
}

TEST_CASE("The end of a cgroup is told by what the kernel takes") {
    const reaper::test::TemporaryFolder folder;
    const std::string file = folder.path() + "/cgroup.kill";
    const Fd opened(::open(folder.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    CHECK_FALSE(kill_all_in_cgroup(opened.get()));  // a kernel that has no such file
    REQUIRE(::symlink("/dev/full", file.c_str()) == 0);
    CHECK_FALSE(kill_all_in_cgroup(opened.get()));
    REQUIRE(::unlink(file.c_str()) == 0);
    std::ofstream(file).flush();
    CHECK(kill_all_in_cgroup(opened.get()));
    std::string written;
    std::ifstream(file) >> written;
    CHECK(written == "1");
}
