// Nothing here is macOS's own: it is what other systems than Linux have.
#include <unistd.h>

#include <csignal>
#include <tuple>

#include "agent/reaping/child.hpp"
#include "agent/reaping/child_system.hpp"
#include "agent/system/signal_inbox.hpp"

// No header of macOS declares it.
extern char** environ;

namespace reaper::agent {

// There are no cgroups, so none is ever given.
pid_t fork_into(std::optional<int> /*cgroup*/) {
    return ::fork();
}

SignalsAtFork::SignalsAtFork() {
    sigset_t all;
    sigfillset(&all);
    std::ignore = ::sigprocmask(SIG_SETMASK, &all, &before_);
}

SignalsAtFork::~SignalsAtFork() {
    stay();
}

void SignalsAtFork::stay() const {
    std::ignore = ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

// What an inbox has here ends no child either: as on Linux, where it is blocked, and is inherited
// so. An execve(2) forgets the handler; a signal that comes before it would be lost.
void SignalsAtFork::leave(const std::optional<sigset_t>& mask) const {
    sigset_t now = mask.value_or(before_);
    for (const int number : handled_by_inbox()) {
        std::signal(number, SIG_DFL);
        if (!mask) sigaddset(&now, number);
    }
    std::ignore = ::sigprocmask(SIG_SETMASK, &now, nullptr);
}

void become_program(const std::vector<char*>& argv, const std::vector<char*>& environment) {
    environ = const_cast<char**>(environment.data());
    ::execvp(argv.front(), argv.data());
}

// No signal tells a child there that its parent has ended: it ends with its work, or when what it
// has to say finds no reader.
bool end_with_parent(int /*signal*/, scanner::Pid parent) {
    return ::getppid() == parent;
}

}  // namespace reaper::agent
