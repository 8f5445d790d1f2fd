#include "tests/support/reuse_pid.hpp"

#include <linux/sched.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>

namespace reaper::test {

namespace {

constexpr int kNotPermitted = 101;

int status_of(pid_t child) {
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return kNotPermitted;
    return WEXITSTATUS(status);
}

// Entering the namespace is only seen by children, so it takes two.
int run_as_first_process(const std::function<int()>& work) {
    if (unshare(CLONE_NEWPID) != 0) return kNotPermitted;
    const pid_t first = fork();
    if (first == 0) {
        alarm(60);
        _exit(work());
    }
    return status_of(first);
}

}  // namespace

scanner::Pid fork_with_pid(scanner::Pid wanted) {
    clone_args arguments{};
    arguments.exit_signal = SIGCHLD;
    arguments.set_tid = reinterpret_cast<std::uintptr_t>(&wanted);
    arguments.set_tid_size = 1;
    return static_cast<scanner::Pid>(syscall(SYS_clone3, &arguments, sizeof arguments));
}

int in_private_namespace(const std::function<int()>& work) {
    const pid_t child = fork();
    if (child == 0) _exit(run_as_first_process(work));
    const int status = status_of(child);
    return status == kNotPermitted ? -1 : status;
}

}  // namespace reaper::test
