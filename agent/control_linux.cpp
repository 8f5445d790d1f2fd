// The only file of the product that holds a signalling call. There is no fallback: a process that cannot be signalled
// through its handle is not signalled.
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "agent/process_control.hpp"
#include "agent/signal_guard.hpp"

namespace reaper::agent {

namespace {

int number_of(Signal signal) {
    switch (signal) {
        case Signal::terminate: return SIGTERM;
        case Signal::resume: return SIGCONT;
        case Signal::kill: return SIGKILL;
    }
    return 0;  // delivers nothing
}

class LinuxControl final : public ProcessControl {
   public:
    Result<Delivery> admit(const scanner::PidHandle& target) override {
        return guard_.admit(target.pid()).map([] { return Delivery::sent; });
    }
    Result<Delivery> send(const scanner::PidHandle& target, Signal signal) override {
        if (auto admitted = admit(target); !admitted) return admitted;
        // As a raw call: <sys/pidfd.h> of glibc 2.36 cannot be linked from C++. Since Linux 5.1.
        if (syscall(SYS_pidfd_send_signal, target.raw(), number_of(signal), nullptr, 0U) != 0) {
            return system_failure("signal", "pid " + std::to_string(target.pid()));
        }
        return Delivery::sent;
    }

   private:
    SignalGuard guard_ = make_signal_guard();
};

}  // namespace

std::unique_ptr<ProcessControl> make_process_control() {
    return std::make_unique<LinuxControl>();
}

}  // namespace reaper::agent
