// The only file of the product that holds a signalling call. There is no fallback: a process that
// cannot be signalled through its handle is not signalled.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "agent/reaping/process_control.hpp"
#include "agent/reaping/signal_guard.hpp"

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

// As a raw call: <sys/pidfd.h> of glibc 2.36 cannot be linked from C++. Since Linux 5.1.
Result<void> signal_by(const scanner::PidHandle& target, int number) {
    if (syscall(SYS_pidfd_send_signal, target.raw(), number, nullptr, 0U) == 0) return {};
    return system_failure("signal", "pid " + std::to_string(target.pid()));
}

class LinuxControl final : public ProcessControl {
   public:
    explicit LinuxControl(SignalGuard guard) : guard_(std::move(guard)) {}

    Result<Delivery> admit(const scanner::PidHandle& target) override {
        return guard_.admit(target.pid()).map([] { return Delivery::sent; });
    }
    Result<Delivery> send(const scanner::PidHandle& target, Signal signal) override {
        if (auto admitted = admit(target); !admitted) return admitted;
        return signal_by(target, number_of(signal)).map([] { return Delivery::sent; });
    }

   private:
    SignalGuard guard_;
};

}  // namespace

std::unique_ptr<ProcessControl> make_process_control() {
    return std::make_unique<LinuxControl>(make_signal_guard());
}

std::unique_ptr<ProcessControl> make_descendant_control() {
    return std::make_unique<LinuxControl>(SignalGuard(std::vector<scanner::Pid>()));
}

Result<void> pass_on(const scanner::PidHandle& target, int signal) {
    return signal_by(target, signal);
}

void stop_by(int signal, const std::function<bool()>& still_meant) {
    if (signal == SIGSTOP) {
        if (still_meant()) ::raise(signal);
        return;
    }
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    std::signal(signal, SIG_DFL);  // whatever the caller had it do
    ::raise(signal);  // it waits; the kernel takes it away when CONT comes (prepare_signal)
    if (still_meant()) {
        ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
        ::sigprocmask(SIG_BLOCK, &set, nullptr);
    }
    const timespec at_once{};
    ::sigtimedwait(&set, nullptr, &at_once);
}

Result<void> kill_all_in_cgroup(int folder) {
    const Fd file(::openat(folder, "cgroup.kill", O_WRONLY | O_CLOEXEC));
    if (file && ::write(file.get(), "1", 1) == 1) return {};
    return system_failure("end", "the processes of a cgroup");
}

}  // namespace reaper::agent
