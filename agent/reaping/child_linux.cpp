#include <linux/sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>

#include "agent/reaping/child.hpp"
#include "agent/reaping/child_system.hpp"

namespace reaper::agent {

// Moving there afterwards waits for every processor (cgroup_threadgroup_rwsem), 10 ms and more.
pid_t fork_into(std::optional<int> cgroup) {
    if (!cgroup) return ::fork();
    clone_args arguments{};
    arguments.flags = CLONE_INTO_CGROUP;
    arguments.exit_signal = SIGCHLD;
    arguments.cgroup = static_cast<__u64>(*cgroup);
    return static_cast<pid_t>(::syscall(SYS_clone3, &arguments, sizeof arguments));
}

// What is waited for by a signalfd is blocked, so that it waits for the program as well.
SignalsAtFork::SignalsAtFork() = default;
SignalsAtFork::~SignalsAtFork() {
    stay();
}
void SignalsAtFork::stay() const {}

void SignalsAtFork::leave(const std::optional<sigset_t>& mask) const {
    if (mask) ::sigprocmask(SIG_SETMASK, &*mask, nullptr);
}

void become_program(const std::vector<char*>& argv, const std::vector<char*>& environment) {
    ::execvpe(argv.front(), argv.data(), environment.data());
}

bool end_with_parent(int signal, scanner::Pid parent) {
    return ::prctl(PR_SET_PDEATHSIG, signal) == 0 && ::getppid() == parent;
}

}  // namespace reaper::agent
