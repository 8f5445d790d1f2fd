#include "agent/interrupt.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <tuple>

namespace reaper::agent {

using Clock = std::chrono::steady_clock;

Interrupt::Interrupt() {
    sigset_t watched;
    sigemptyset(&watched);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&watched, signal);
    fd_ = Fd(::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
    // Blocked only when there is somewhere to see them.
    std::ignore = ::pthread_sigmask(SIG_BLOCK, fd_ ? &watched : nullptr, &before_);
}

Interrupt::~Interrupt() {
    // One that came was honoured: the report says so, and so does the exit status.
    struct signalfd_siginfo taken{};
    while (fd_ && ::read(fd_.get(), &taken, sizeof taken) > 0) {
    }
    std::ignore = ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool Interrupt::wait(std::chrono::milliseconds time) const {
    const auto deadline = Clock::now() + time;
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
        struct pollfd entry{raw(), POLLIN, 0};
        const int ready =
            ::poll(&entry, 1, static_cast<int>(std::max(left.count(), std::chrono::milliseconds::rep{0})));
        if (ready > 0) return true;
        if (ready == 0 && left.count() <= 0) return false;
        if (ready < 0 && errno != EINTR) return false;
    }
}

}  // namespace reaper::agent
