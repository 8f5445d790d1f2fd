#include "agent/run_successor.hpp"

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <tuple>
#include <utility>

#include "agent/run_link.hpp"

namespace reaper::agent {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Most begin soon after they were told to end, if any do: so it looks often at first, and later each second.
int pause_after(Clock::time_point began) {
    const auto quarter = std::chrono::duration_cast<milliseconds>(Clock::now() - began) / 4;
    return static_cast<int>(std::clamp(quarter, milliseconds(10), milliseconds(1000)).count());
}

// False: it is dismissed.
bool outlives(const Fd& link, Kin& kin) {
    const auto began = Clock::now();
    for (;;) {
        kin.look();
        pollfd entry{link.get(), POLLIN, 0};
        ::poll(&entry, 1, pause_after(began));
        Note note;
        switch (hear(link, note)) {
            case Heard::nothing: break;
            case Heard::other_is_gone: return true;
            case Heard::note: return false;
        }
    }
}

// As fork(2), but its end is not told by SIGCHLD, so that waitpid(2) does not count it among the children.
pid_t fork_apart() {
    return static_cast<pid_t>(::syscall(SYS_clone, 0, nullptr, nullptr, nullptr, nullptr));
}

}  // namespace

std::optional<Successor> Successor::appoint(const scanner::Procfs& procfs, std::string mark, const Work& work) {
    auto link = make_link();
    auto self = scanner::PidHandle::open(::getpid());
    if (!link || !self) return std::nullopt;
    const pid_t pid = fork_apart();
    if (pid < 0) return std::nullopt;
    if (pid > 0) return Successor(pid, std::move(link->ours));
    link->ours.reset();
    sigset_t all;
    sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
    std::ignore = ::setpgid(0, 0);  // not to be killed with a group
    Kin kin(procfs, std::move(*self), std::move(mark));
    if (outlives(link->theirs, kin)) work(std::move(kin));
    ::_exit(0);
}

void Successor::dismiss() const {
    tell(link_, {Note::Kind::ended, 0});
    ::waitpid(pid_, nullptr, __WALL);
}

}  // namespace reaper::agent
