// The signals that this process takes one by one, when it is ready for them, as a descriptor that
// can be waited for.
#pragma once

#include <csignal>
#include <memory>
#include <optional>
#include <vector>

namespace reaper::agent {

struct TakenSignal {
    int number = 0;
    bool from_kernel = false;  // and from no process: a key of the terminal, or a timer
};

// While this object lives, none of its signals ends the process or interrupts a step of it. Several
// objects may follow each other, or stand inside of each other: then the innermost one gets them.
class SignalInbox {
   public:
    explicit SignalInbox(const std::vector<int>& numbers);
    // Drops what came and was not taken.
    ~SignalInbox();
    SignalInbox(const SignalInbox&) = delete;
    SignalInbox& operator=(const SignalInbox&) = delete;

    // For poll(2): readable while one can be taken. -1 where the system gave no descriptor; then
    // the signals do what they did before, and errno says why.
    [[nodiscard]] int raw() const;
    // Takes the next one, without waiting. None: none has come.
    [[nodiscard]] std::optional<TakenSignal> take() const;
    // The signals that were blocked before: the mask of a program that is started meanwhile.
    [[nodiscard]] const sigset_t& mask_before() const;
    // In a copy of this process: lets the signals do what they did before this object.
    void step_aside() const;

   private:
    struct State;
    std::unique_ptr<State> state_;
};

// True if `signal` came to this process and was not taken. One that is neither blocked nor in an
// inbox never waits.
[[nodiscard]] bool has_come(int signal);

// Returns the signals that an inbox gets by a handler, and not by blocking them: a program that is
// started in the place of this one would neither get them nor keep them back. None on Linux.
[[nodiscard]] std::vector<int> handled_by_inbox();

}  // namespace reaper::agent
