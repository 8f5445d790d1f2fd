// Ctrl-C and its kin, as something that can be waited for: nothing is ever interrupted in the middle of a step.
#pragma once

#include <chrono>
#include <csignal>

#include "scanner/fd.hpp"

namespace reaper::agent {

// While it lives, INT, TERM and HUP do not end this process.
class Interrupt {
   public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    // For poll(2): readable once an interrupt came. -1 where the system gave no descriptor: then nothing interrupts.
    [[nodiscard]] int raw() const { return fd_ ? fd_.get() : -1; }
    [[nodiscard]] bool came() const { return wait(std::chrono::milliseconds(0)); }
    // Sleeps that long. True: an interrupt came first.
    [[nodiscard]] bool wait(std::chrono::milliseconds time) const;

   private:
    sigset_t before_{};
    Fd fd_;
};

}  // namespace reaper::agent
