// What a service manager wants to hear (sd_notify(3)): one datagram a message, which needs no library.
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

    // As NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID have it. Where nobody asked for it, nothing is ever told.
    ServiceManager();

    // "READY=1", "STATUS=..."; what cannot be told is not.
    void tell(std::string_view message) const;

    // When it wants a sign of life next: twice in the time after which it gives up. None: never.
    [[nodiscard]] std::optional<Clock::time_point> next_sign() const { return next_sign_; }
    void give_sign_if_due();

   private:
    std::string address_;  // as the kernel has it: the first byte of an abstract one is zero
    Fd socket_;
    std::chrono::microseconds gap_{};
    std::optional<Clock::time_point> next_sign_;
};

}  // namespace reaper::agent
