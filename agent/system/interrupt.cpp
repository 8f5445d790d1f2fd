#include "agent/system/interrupt.hpp"

#include <poll.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

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

std::vector<int> signals_of(bool has_limit, bool by_hangup) {
    std::vector<int> signals{SIGINT, SIGTERM};
    if (by_hangup) signals.push_back(SIGHUP);
    if (has_limit) signals.push_back(SIGALRM);
    return signals;
}

}  // namespace

Interrupt::Interrupt(std::optional<std::chrono::milliseconds> limit, bool by_hangup)
    : inbox_(signals_of(limit.has_value(), by_hangup)) {
    if (raw() >= 0 && limit) arm(*limit);
}

// One that came was honoured: the report says so, and so does the exit status.
Interrupt::~Interrupt() {
    arm(std::chrono::milliseconds(0));
}

int Interrupt::take_request() const {
    const auto taken = inbox_.take();
    if (!taken) return 0;
    // When a terminal hangs up, only the leader of its session gets HUP.
    const bool for_us =
        !taken->from_kernel || (taken->number == SIGHUP && ::getsid(0) == ::getpid());
    return for_us ? taken->number : 0;
}

bool Interrupt::timed_out() const {
    return raw() >= 0 && has_come(SIGALRM) &&
           std::none_of(std::begin(kAsked), std::end(kAsked), has_come);
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
