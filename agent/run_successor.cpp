#include "agent/run_successor.hpp"

#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <tuple>
#include <utility>

#include "agent/run_link.hpp"
#include "agent/run_pace.hpp"

namespace reaper::agent {

namespace {

// False: it is dismissed.
bool outlives(const Fd& link, Kin& kin) {
    const auto began = std::chrono::steady_clock::now();
    for (;;) {
        kin.look();
        pollfd entry{link.get(), POLLIN, 0};
        ::poll(&entry, 1, static_cast<int>(pause_after(began).count()));
        Note note;
        switch (hear(link, note)) {
            case Heard::nothing: break;
            case Heard::other_is_gone: return true;
            case Heard::note: return false;
        }
    }
}

// One handle for each process; nobody is started here who would inherit that.
void hold_as_many_as_we_may() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    std::ignore = ::setrlimit(RLIMIT_NOFILE, &limit);
}

// As fork(2), but its end is not told by SIGCHLD, so that waitpid(2) does not count it among the children.
pid_t fork_apart() {
    return static_cast<pid_t>(::syscall(SYS_clone, 0, nullptr, nullptr, nullptr, nullptr));
}

}  // namespace

std::optional<Successor> Successor::appoint(const scanner::Procfs& procfs, Kinship kinship, const Work& work) {
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
    hold_as_many_as_we_may();
    Kin kin(procfs, std::move(*self), std::move(kinship));
    if (outlives(link->theirs, kin)) work(std::move(kin));
    ::_exit(0);
}

void Successor::dismiss() const {
    tell(link_, {Note::Kind::ended, 0});
    ::waitpid(pid_, nullptr, __WALL);
}

}  // namespace reaper::agent
