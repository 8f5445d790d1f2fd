#include "agent/system/interrupt.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <tuple>

namespace reaper::agent {

using Clock = std::chrono::steady_clock;

namespace {

constexpr int kAsked[] = {SIGINT, SIGTERM, SIGHUP};

// Makes SIGALRM come after that time; 0: never. Replaces the timer before.
void arm(std::chrono::milliseconds time) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
    struct itimerval timer{};
    timer.it_value.tv_sec = seconds.count();
    timer.it_value.tv_usec = std::chrono::microseconds(time - seconds).count();
    ::setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace

Interrupt::Interrupt(std::optional<std::chrono::milliseconds> limit, bool by_hangup) {
    sigset_t watched;
    sigemptyset(&watched);
    for (const int signal : kAsked) sigaddset(&watched, signal);
    if (limit) sigaddset(&watched, SIGALRM);
    if (!by_hangup) sigdelset(&watched, SIGHUP);
    fd_ = Fd(::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
    // Blocks them only when there is a descriptor to see them by.
    std::ignore = ::pthread_sigmask(SIG_BLOCK, fd_ ? &watched : nullptr, &before_);
    if (fd_ && limit) arm(*limit);
}

Interrupt::~Interrupt() {
    arm(std::chrono::milliseconds(0));
    // One that came was honoured: the report says so, and so does the exit status.
    struct signalfd_siginfo taken{};
    while (fd_ && ::read(fd_.get(), &taken, sizeof taken) > 0) {
    }
    std::ignore = ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int Interrupt::take_request() const {
    struct signalfd_siginfo taken{};
    if (!fd_ || ::read(fd_.get(), &taken, sizeof taken) <= 0) return 0;
    // When a terminal hangs up, only the leader of its session gets HUP.
    const bool for_us =
        taken.ssi_code != SI_KERNEL || (taken.ssi_signo == SIGHUP && ::getsid(0) == ::getpid());
    return for_us ? static_cast<int>(taken.ssi_signo) : 0;
}

// True if SIGALRM has come: a signal that was not read from the signalfd is still pending.
bool Interrupt::timed_out() const {
    sigset_t pending;
    sigemptyset(&pending);
    if (!fd_ || ::sigpending(&pending) != 0 || sigismember(&pending, SIGALRM) != 1) return false;
    return std::none_of(std::begin(kAsked), std::end(kAsked),
                        [&](int signal) { return sigismember(&pending, signal) == 1; });
}

bool Interrupt::wait(std::chrono::milliseconds time) const {
    const auto deadline = Clock::now() + time;
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
        struct pollfd entry{raw(), POLLIN, 0};
        const int ready = ::poll(
            &entry, 1, static_cast<int>(std::max(left.count(), std::chrono::milliseconds::rep{0})));
        if (ready > 0) return true;
        if (ready == 0 && left.count() <= 0) return false;
        if (ready < 0 && errno != EINTR) return false;
    }
}

}  // namespace reaper::agent
