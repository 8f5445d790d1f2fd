#include <sys/signalfd.h>
#include <unistd.h>

#include <tuple>

#include "agent/system/signal_inbox.hpp"
#include "scanner/fd.hpp"

namespace reaper::agent {

// They are blocked: what the kernel holds back is what the descriptor shows.
struct SignalInbox::State {
    Fd fd;
    sigset_t before{};
};

SignalInbox::SignalInbox(const std::vector<int>& numbers) : state_(std::make_unique<State>()) {
    sigset_t watched;
    sigemptyset(&watched);
    for (const int number : numbers) sigaddset(&watched, number);
    state_->fd = Fd(::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
    // Blocks them only when there is a descriptor to see them by.
    std::ignore = ::pthread_sigmask(SIG_BLOCK, state_->fd ? &watched : nullptr, &state_->before);
}

SignalInbox::~SignalInbox() {
    while (take()) {
    }
    step_aside();
}

int SignalInbox::raw() const {
    return state_->fd ? state_->fd.get() : -1;
}

std::optional<TakenSignal> SignalInbox::take() const {
    struct signalfd_siginfo taken{};
    if (!state_->fd || ::read(state_->fd.get(), &taken, sizeof taken) <= 0) return std::nullopt;
    return TakenSignal{static_cast<int>(taken.ssi_signo), taken.ssi_code == SI_KERNEL};
}

const sigset_t& SignalInbox::mask_before() const {
    return state_->before;
}

void SignalInbox::step_aside() const {
    std::ignore = ::pthread_sigmask(SIG_SETMASK, &state_->before, nullptr);
}

// A signal that was not read from the descriptor is still pending.
bool has_come(int signal) {
    sigset_t pending;
    sigemptyset(&pending);
    return ::sigpending(&pending) == 0 && sigismember(&pending, signal) == 1;
}

std::vector<int> handled_by_inbox() {
    return {};
}

}  // namespace reaper::agent
