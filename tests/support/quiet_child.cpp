#include "tests/support/quiet_child.hpp"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <tuple>

namespace reaper::test {

QuietChild::QuietChild() {
    int ends[2] = {-1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        throw std::runtime_error("socketpair");
    const Fd listen(ends[0]);
    tell_ = Fd(ends[1]);
    // The test framework catches signals; the child inherits that, and must not see one before it
    // is undone.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    pid_ = fork();
    if (pid_ != 0) sigprocmask(SIG_SETMASK, &before, nullptr);
    if (pid_ < 0) throw std::runtime_error("fork");
    if (pid_ > 0) return;
    for (const int caught : {SIGTERM, SIGINT, SIGABRT}) std::signal(caught, SIG_DFL);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    alarm(60);
    char word = 0;
    while (read(ends[0], &word, 1) < 0) continue;
    _exit(0);
}

QuietChild::~QuietChild() {
    if (pid_ == 0) return;
    end();
    waitpid(pid_, nullptr, 0);
}

scanner::PidHandle QuietChild::handle() const {
    auto handle = scanner::PidHandle::open(pid_);
    if (!handle) throw std::runtime_error(describe(handle.error()));
    return std::move(*handle);
}

void QuietChild::end() {
    // It may be dead already, which must not raise SIGPIPE here.
    if (tell_) std::ignore = send(tell_.get(), "x", 1, MSG_NOSIGNAL);
    tell_.reset();
    siginfo_t ignored{};
    while (waitid(P_PID, static_cast<id_t>(pid_), &ignored, WEXITED | WNOWAIT) != 0) continue;
}

}  // namespace reaper::test
