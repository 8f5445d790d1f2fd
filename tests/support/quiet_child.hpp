// A child process that does nothing until it is told to exit, without any signal. Ends by itself
// when the test hangs.
#pragma once

#include <utility>

#include "scanner/fd.hpp"
#include "scanner/model/identity.hpp"
#include "scanner/pid_handle.hpp"

namespace reaper::test {

class QuietChild {
   public:
    QuietChild();
    QuietChild(const QuietChild&) = delete;
    QuietChild& operator=(const QuietChild&) = delete;
    QuietChild(QuietChild&& other) noexcept
        : pid_(std::exchange(other.pid_, 0)), tell_(std::move(other.tell_)) {}
    QuietChild& operator=(QuietChild&&) = delete;
    ~QuietChild();  // ends and reaps it

    [[nodiscard]] scanner::Pid pid() const { return pid_; }
    [[nodiscard]] scanner::PidHandle handle() const;
    // It exits; returns once it has. Stays a zombie.
    void end();

   private:
    scanner::Pid pid_ = 0;
    Fd tell_;
};

}  // namespace reaper::test
