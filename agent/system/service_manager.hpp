// What a service manager wants to hear (sd_notify(3)): one datagram a message, which needs no
// library.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "scanner/fd.hpp"

namespace reaper::agent {

class ServiceManager {
   public:
    using Clock = std::chrono::steady_clock;

    // Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID. Without them nothing is ever sent.
    ServiceManager();

    // Sends "READY=1", "STATUS=...". A message that cannot be sent is dropped.
    void notify(std::string_view message) const;

    // When to send the next sign of life: twice within the time after which the manager gives up.
    // None: never.
    [[nodiscard]] std::optional<Clock::time_point> next_sign() const { return next_sign_; }
    // Sends "WATCHDOG=1" when next_sign() has come.
    void give_sign_if_due();

   private:
    std::string address_;  // as the kernel has it: the first byte of an abstract one is zero
    Fd socket_;
    std::chrono::microseconds gap_{};
    std::optional<Clock::time_point> next_sign_;
};

}  // namespace reaper::agent
