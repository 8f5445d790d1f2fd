#include "agent/run/supervisor.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <tuple>
#include <vector>

#include "agent/reaping/close_descriptors.hpp"
#include "agent/reaping/process_control.hpp"
#include "agent/run/message_channel.hpp"
#include "agent/run/process_tree.hpp"
#include "agent/run/unmap_code.hpp"
#include "scanner/machine.hpp"

namespace reaper::agent {

namespace {

using Kind = Note::Kind;

class Supervisor {
   public:
    explicit Supervisor(const SupervisorParts& parts)
        : parts_(parts), tree_(parts.table, parts.cgroup, parts.options, parts.program) {}

    // Returns the helper's exit status.
    [[nodiscard]] int run() {
        for (;;) {
            wait();
            pass_signals_on();
            Note note;
            switch (receive_note(parts_.link, note)) {
                case Received::nothing: break;
                case Received::other_is_gone: return take_over();
                case Received::note:
                    if (const auto status = mind(note)) return *status;
            }
        }
    }

   private:
    // Signals are left in the kernel, which loses none of them, while the guard has too much to
    // read.
    void wait() {
        const bool busy = !can_send_note(parts_.link);
        std::array<pollfd, 4> entries{
            {{parts_.link.get(), static_cast<short>(busy ? POLLIN | POLLOUT : POLLIN), 0},
             {busy ? -1 : parts_.signals.get(), POLLIN, 0},
             {host_lives_ ? parts_.host.handle.raw() : -1, POLLIN, 0},
             {tree_.children(), POLLIN, 0}}};
        idle_trim_.wait(entries);
        if (entries[3].revents != 0) tree_.collect_zombies();
        if (entries[2].revents == 0) return;
        host_lives_ = false;
        // The guard ends the helper. CONT, in case that the guard is stopped.
        if (parts_.guard_handle) std::ignore = pass_on(*parts_.guard_handle, SIGCONT);
    }

    void pass_signals_on() const {
        signalfd_siginfo taken{};
        while (can_send_note(parts_.link) &&
               ::read(parts_.signals.get(), &taken, sizeof taken) == sizeof taken) {
            const auto signal = static_cast<int>(taken.ssi_signo);
            const bool is_for_us =
                signal == SIGCONT && static_cast<pid_t>(taken.ssi_pid) == parts_.guard;
            if (!is_for_us && !helper_has_it(taken))
                send_note(parts_.link, {Kind::pass_on, signal});
        }
    }

    // Returns the exit status when all is over.
    [[nodiscard]] std::optional<int> mind(Note note) {
        switch (note.kind) {
            case Kind::pass_on: break;
            case Kind::started:
                helper_ = note.value;
                tree_.set_helper(helper_);
                break;
            case Kind::stopped: stop_by(note.value, [this] { return helper_is_stopped(); }); break;
            case Kind::left_others: return note.value;
            case Kind::ended:
            case Kind::failed: return await_guard(note.value);
        }
        return std::nullopt;
    }

    // It may have gone on since that was told.
    [[nodiscard]] bool helper_is_stopped() const {
        const auto stat = scanner::read_stat(parts_.table, helper_);
        return stat && (stat->state == 'T' || stat->state == 't');
    }

    [[nodiscard]] int await_guard(int status) const {
        ::waitpid(parts_.guard, nullptr, 0);
        return status;
    }

    // Ends what the guard looked after: it is adopted here once the guard is dead.
    [[nodiscard]] int take_over() {
        const int status = await_guard(128 + SIGKILL);
        tree_.end();
        if (parts_.cgroup) parts_.cgroup->remove();
        return tree_.helper_status().value_or(status);
    }

    const SupervisorParts& parts_;
    RunTree tree_;
    IdleTrim idle_trim_;
    scanner::Pid helper_ = 0;
    bool host_lives_ = true;
};

}  // namespace

// What a terminal sends goes to a whole group, and so to the helper. But for that it hangs up: the
// leader of the session alone is told. An orphaned group with a stopped process is told the same.
bool helper_has_it(const signalfd_siginfo& taken) {
    if (taken.ssi_code != SI_KERNEL) return false;
    switch (static_cast<int>(taken.ssi_signo)) {
        case SIGINT:
        case SIGQUIT:
        case SIGTSTP:
        case SIGTTIN:
        case SIGTTOU:
        case SIGWINCH: return true;
        case SIGHUP:
        case SIGCONT: return ::getsid(0) != ::getpid();
        default: return false;
    }
}

int supervise(const SupervisorParts& parts) {
    std::vector<int> kept{parts.host.handle.raw(), parts.link.get(), parts.signals.get()};
    if (parts.guard_handle) kept.push_back(parts.guard_handle->raw());
    if (parts.cgroup) kept.push_back(parts.cgroup->folder());
    close_descriptors_except(parts.table, kept);
    return Supervisor(parts).run();
}

}  // namespace reaper::agent
