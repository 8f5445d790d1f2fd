// For systems without signalfd(2), such as macOS: a handler writes to a pipe of this process. The
// tests of Linux run this, too.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <tuple>

#include "agent/system/pipe.hpp"
#include "agent/system/signal_inbox.hpp"

namespace reaper::agent {

namespace {

// All that a handler can reach. A copy of this process inherits it with the handlers, so each value
// is of the process whose pid stands beside it, or in it.
struct Shared {
    std::array<std::atomic<pid_t>, NSIG> came{};  // the process to which the signal came; 0: taken
    std::atomic<pid_t> owner{0};
    std::atomic<int> place{-1};  // where that process writes notes

    static_assert(std::atomic<pid_t>::is_always_lock_free);
};
constinit Shared shared;

void write_note(const TakenSignal& note) {
    std::ignore = ::write(shared.place, &note, sizeof note);
}

// Like a signal that is pending, one that comes twice before it is taken came once: so the pipe is
// never full.
void note_signal(int number, siginfo_t* info, void* /*context*/) {
    const int error = errno;
    const pid_t self = ::getpid();
    const bool is_new = shared.came[static_cast<std::size_t>(number)].exchange(self) != self;
    if (is_new && shared.owner == self) write_note({number, info->si_pid == 0});
    errno = error;
}

std::atomic<pid_t>& came(int number) {
    return shared.came[static_cast<std::size_t>(number)];
}

sigset_t set_of(const std::vector<int>& numbers) {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : numbers) sigaddset(&set, number);
    return set;
}

}  // namespace

struct SignalInbox::State {
    std::vector<int> numbers;
    Pipe pipe;
    sigset_t before{};
    std::vector<struct sigaction> actions;  // before, one for each number
    pid_t outer_owner = 0;
    int outer_place = -1;

    [[nodiscard]] bool is_open() const { return static_cast<bool>(pipe.reading); }
    void install();
    void restore_actions() const;
};

void SignalInbox::State::install() {
    struct sigaction noting{};
    noting.sa_sigaction = note_signal;
    noting.sa_flags = SA_SIGINFO | SA_RESTART;
    sigfillset(&noting.sa_mask);
    for (const int number : numbers)
        std::ignore = ::sigaction(number, &noting, &actions.emplace_back());
}

void SignalInbox::State::restore_actions() const {
    auto action = actions.begin();
    for (const int number : numbers) std::ignore = ::sigaction(number, &*action++, nullptr);
}

// Those that came before, to this copy or to an inbox around this one, are noted anew.
SignalInbox::SignalInbox(const std::vector<int>& numbers) : state_(std::make_unique<State>()) {
    State& state = *state_;
    state.numbers = numbers;
    auto pipe = make_pipe();
    const sigset_t watched = set_of(state.numbers);
    std::ignore = ::pthread_sigmask(SIG_BLOCK, pipe ? &watched : nullptr, &state.before);
    if (!pipe) return;
    state.pipe = std::move(*pipe);
    for (const Fd* end : {&state.pipe.reading, &state.pipe.writing})
        ::fcntl(end->get(), F_SETFL, O_NONBLOCK);
    state.outer_place = shared.place.exchange(state.pipe.writing.get());
    state.outer_owner = shared.owner.exchange(::getpid());
    state.install();
    for (const int number : state.numbers) {
        if (came(number) == ::getpid()) write_note({number, false});
    }
    std::ignore = ::pthread_sigmask(SIG_UNBLOCK, &watched, nullptr);
}

SignalInbox::~SignalInbox() {
    const State& state = *state_;
    if (!state.is_open()) return;
    const sigset_t watched = set_of(state.numbers);
    std::ignore = ::pthread_sigmask(SIG_BLOCK, &watched, nullptr);
    state.restore_actions();
    for (const int number : state.numbers) came(number) = 0;
    shared.owner = state.outer_owner;
    shared.place = state.outer_place;
    std::ignore = ::pthread_sigmask(SIG_SETMASK, &state.before, nullptr);
}

int SignalInbox::raw() const {
    return state_->is_open() ? state_->pipe.reading.get() : -1;
}

// An inbox inside of this one may have taken what was noted here.
std::optional<TakenSignal> SignalInbox::take() const {
    TakenSignal note;
    while (state_->is_open() &&
           ::read(state_->pipe.reading.get(), &note, sizeof note) == sizeof note) {
        if (came(note.number).exchange(0) == ::getpid()) return note;
    }
    return std::nullopt;
}

const sigset_t& SignalInbox::mask_before() const {
    return state_->before;
}

void SignalInbox::step_aside() const {
    if (state_->is_open()) state_->restore_actions();
    std::ignore = ::pthread_sigmask(SIG_SETMASK, &state_->before, nullptr);
}

bool has_come(int signal) {
    sigset_t pending;
    sigemptyset(&pending);
    return came(signal) == ::getpid() ||
           (::sigpending(&pending) == 0 && sigismember(&pending, signal) == 1);
}

std::vector<int> handled_by_inbox() {
    std::vector<int> handled;
    for (int number = 1; number < NSIG; ++number) {
        struct sigaction action{};
        const bool is_known = ::sigaction(number, nullptr, &action) == 0;
        if (is_known && (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == note_signal)
            handled.push_back(number);
    }
    return handled;
}

}  // namespace reaper::agent
