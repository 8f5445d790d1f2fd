// Has anybody read or written this program's stdin or stdout? Nothing is copied and no end is kept open: the kernel is asked to note
// reading and writing of what they are (inotify), whoever does it.
#pragma once

#include <chrono>

#include "scanner/fd.hpp"
#include "scanner/result.hpp"

namespace reaper::agent {

class StdioWatch {
   public:
    // invalid_argument: neither is a pipe, a socket, a terminal or a file. Any other failure: the system does not let it be seen.
    [[nodiscard]] static Result<StdioWatch> make(std::chrono::milliseconds idle);

    // How long poll(2) may sleep.
    [[nodiscard]] int timeout() const;
    // There was no traffic for that long, and up to a quarter of it more. To be asked whenever poll(2) returns.
    [[nodiscard]] bool is_idle();

    [[nodiscard]] int raw() const { return events_.get(); }

   private:
    using Clock = std::chrono::steady_clock;
    StdioWatch(Fd events, Clock::duration step) : events_(std::move(events)), step_(step), next_(Clock::now() + step) {}

    Fd events_;
    Clock::duration step_;
    Clock::time_point next_;
    int quiet_steps_ = 0;
};

}  // namespace reaper::agent
