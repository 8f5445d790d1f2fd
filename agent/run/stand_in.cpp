#include "agent/run/stand_in.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <tuple>

#include "agent/reaping/child.hpp"
#include "agent/reaping/close_descriptors.hpp"
#include "agent/reaping/process_control.hpp"
#include "agent/run/supervisor.hpp"
#include "agent/run/unmap_code.hpp"
#include "scanner/machine.hpp"

namespace reaper::agent {

namespace {

Fd watch_all_signals() {
    sigset_t all;
    sigfillset(&all);
    ::sigprocmask(SIG_BLOCK, &all, nullptr);
    return Fd(::signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK));
}

class Front {
   public:
    Front(const scanner::ProcessTable& table, const scanner::PidHandle& run, const Fd& signals,
          const Fd& alive)
        : table_(table), run_(run), signals_(signals), alive_(alive) {}

    // Returns the exit status of `run`.
    [[nodiscard]] int wait() {
        for (;;) {
            if (const auto status = collect()) return *status;
            std::array<pollfd, 1> entries{{{signals_.get(), POLLIN, 0}}};
            idle_trim_.wait(entries);
            pass_signals_on();
        }
    }

   private:
    // The earlier children that end leave no zombies either.
    [[nodiscard]] std::optional<int> collect() const {
        int status = 0;
        for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0;) {
            if (pid != run_.pid()) continue;
            if (WIFSTOPPED(status)) {
                stop_by(WSTOPSIG(status), [this] { return is_stopped(); });
                continue;
            }
            if (WIFSIGNALED(status)) await_guard();
            return shell_status(status);
        }
        return std::nullopt;
    }

    [[nodiscard]] bool is_stopped() const {
        const auto stat = scanner::read_stat(table_, run_.pid());
        return stat && (stat->state == 'T' || stat->state == 't');
    }

    // It ends the helper now.
    void await_guard() const {
        char none = 0;
        while (::read(alive_.get(), &none, 1) < 0 && errno == EINTR) continue;
    }

    // The guard sends CONT to this process alone.
    [[nodiscard]] bool is_for_us(const signalfd_siginfo& taken) const {
        const auto sender = static_cast<scanner::Pid>(taken.ssi_pid);
        return taken.ssi_signo == SIGCONT && taken.ssi_code != SI_KERNEL &&
               scanner::read_parent(table_, sender) == run_.pid();
    }

    void pass_signals_on() const {
        signalfd_siginfo taken{};
        while (::read(signals_.get(), &taken, sizeof taken) == sizeof taken) {
            if (taken.ssi_signo == SIGCHLD || is_for_us(taken) || helper_has_it(taken)) continue;
            std::ignore = pass_on(run_, static_cast<int>(taken.ssi_signo));
        }
    }

    const scanner::ProcessTable& table_;
    const scanner::PidHandle& run_;
    const Fd& signals_;
    const Fd& alive_;
    IdleTrim idle_trim_;
};

Result<StandIn> wait_for(const scanner::ProcessTable& table, pid_t child, const Fd& alive) {
    const Fd signals = watch_all_signals();
    const auto run = scanner::PidHandle::open(child);
    if (!run) return tl::unexpected(run.error());
    if (!signals) return system_failure("watch", "signals");
    close_descriptors_except(table, {signals.get(), run->raw(), alive.get()});
    return StandIn{Front(table, *run, signals, alive).wait(), std::nullopt, Fd()};
}

}  // namespace

bool has_children() {
    siginfo_t none{};
    return ::waitid(P_ALL, 0, &none, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

Result<StandIn> stand_in(const scanner::ProcessTable& table) {
    auto self = scanner::PidHandle::open(::getpid());
    if (!self) return tl::unexpected(self.error());
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return system_failure("make", "a pipe");
    const Fd ended(ends[0]);
    Fd alive(ends[1]);
    const pid_t child = ::fork();
    if (child < 0) return system_failure("start", "a copy of this program");
    if (child > 0) {
        alive.reset();
        return wait_for(table, child, ended);
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != self->pid()) ::_exit(0);
    return StandIn{std::nullopt, std::move(*self), std::move(alive)};
}

}  // namespace reaper::agent
