// Turns INT, TERM and HUP into a descriptor that can be waited for, so that nothing is interrupted
// in the middle of a step.
#pragma once

#include <chrono>
#include <csignal>
#include <optional>

#include "agent/system/signal_inbox.hpp"

namespace reaper::agent {

// While this object lives, INT, TERM and HUP do not end the process. With a `limit`, only one
// object at a time.
class Interrupt {
   public:
    // After `limit` an interrupt comes by itself. Without `by_hangup`, HUP is none.
    explicit Interrupt(std::optional<std::chrono::milliseconds> limit = std::nullopt,
                       bool by_hangup = true);
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    // For poll(2): readable once an interrupt came. -1 where the system gave no descriptor: then
    // nothing interrupts.
    [[nodiscard]] int raw() const { return inbox_.raw(); }
    [[nodiscard]] bool came() const { return wait(std::chrono::milliseconds(0)); }
    // The signal mask before this object: that of a program that is started meanwhile.
    [[nodiscard]] const sigset_t& mask_before() const { return inbox_.mask_before(); }
    // In a copy of this process: INT, TERM and HUP end it as they did before this object.
    void step_aside() const { inbox_.step_aside(); }
    // Takes back that it came. The signal by which this process was asked for it; 0: by none, but
    // by a key that every process of the terminal is told of.
    [[nodiscard]] int take_request() const;
    // True if it came by the limit, and not by a signal.
    [[nodiscard]] bool timed_out() const;
    // Sleeps. True: an interrupt came first.
    [[nodiscard]] bool wait(std::chrono::milliseconds time) const;

   private:
    SignalInbox inbox_;
};

}  // namespace reaper::agent
