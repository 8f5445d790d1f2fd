// Tells whether any process has read or written what this program has as stdin and stdout. Copies
// nothing and keeps no end open: the kernel notes reading and writing (inotify).
#pragma once

#include <chrono>

#include "scanner/fd.hpp"
#include "scanner/model/result.hpp"

namespace reaper::agent {

class StdioWatch {
   public:
    // invalid_argument: neither is a pipe, a socket, a terminal or a file. Any other failure: the
    // system does not let it be seen.
    [[nodiscard]] static Result<StdioWatch> make(std::chrono::milliseconds idle);

    // Returns how long poll(2) may sleep, in ms.
    [[nodiscard]] int timeout() const;
    // True after no traffic for that long, or up to a quarter of it more. To be asked whenever
    // poll(2) returns.
    [[nodiscard]] bool is_idle();

    [[nodiscard]] int raw() const { return events_.get(); }

   private:
    using Clock = std::chrono::steady_clock;
    StdioWatch(Fd events, Clock::duration step)
        : events_(std::move(events)), step_(step), next_(Clock::now() + step) {}

    Fd events_;
    Clock::duration step_;
    Clock::time_point next_;
    int quiet_steps_ = 0;
};

}  // namespace reaper::agent
