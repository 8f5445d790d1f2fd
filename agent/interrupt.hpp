// Ctrl-C and its kin, as something that can be waited for: nothing is ever interrupted in the middle of a step.
#pragma once

#include <chrono>
#include <csignal>
#include <optional>

#include "scanner/fd.hpp"

namespace reaper::agent {

// While it lives, INT, TERM and HUP do not end this process. Only one at a time, where there is a limit.
class Interrupt {
   public:
    // After `limit` it comes by itself. Not `by_hangup`: HUP means something else to this process.
    explicit Interrupt(std::optional<std::chrono::milliseconds> limit = std::nullopt, bool by_hangup = true);
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    // For poll(2): readable once an interrupt came. -1 where the system gave no descriptor: then nothing interrupts.
    [[nodiscard]] int raw() const { return fd_ ? fd_.get() : -1; }
    [[nodiscard]] bool came() const { return wait(std::chrono::milliseconds(0)); }
    // What was blocked before it lived: what a program that is started meanwhile starts with.
    [[nodiscard]] const sigset_t& mask_before() const { return before_; }
    // Takes back that it came. The signal by which this process was asked for it; 0: by none, but by a key that every process of the terminal is
    // told of.
    [[nodiscard]] int take_request() const;
    // It came by itself, and nobody asked for it.
    [[nodiscard]] bool timed_out() const;
    // Sleeps that long. True: an interrupt came first.
    [[nodiscard]] bool wait(std::chrono::milliseconds time) const;

   private:
    sigset_t before_{};
    Fd fd_;
};

}  // namespace reaper::agent
