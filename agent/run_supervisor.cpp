#include "agent/run_supervisor.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <tuple>
#include <vector>

#include "agent/give_back.hpp"
#include "agent/let_go.hpp"
#include "agent/process_control.hpp"
#include "agent/run_link.hpp"
#include "agent/run_tree.hpp"
#include "policy/run_mark.hpp"

namespace reaper::agent {

namespace {

using Kind = Note::Kind;

// What a terminal sends goes to a whole group, and so to the helper. But for that it hangs up: the leader of the session alone is told.
// An orphaned group with somebody stopped in it is told the same.
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

class Supervisor {
   public:
    explicit Supervisor(const SupervisorParts& parts)
        : parts_(parts),
          tree_(parts.procfs, parts.cgroup, parts.options, policy::run_mark(parts.host.identity), parts.strangers) {}

    // The helper's exit status.
    [[nodiscard]] int run() {
        for (;;) {
            wait();
            pass_signals_on();
            Note note;
            switch (hear(parts_.link, note)) {
                case Heard::nothing: break;
                case Heard::other_is_gone: return take_over();
                case Heard::note:
                    if (const auto status = mind(note)) return *status;
            }
        }
    }

   private:
    // Signals are left in the kernel, which loses none of them, while the guard has too much to read.
    void wait() {
        const bool busy = !can_tell(parts_.link);
        std::array<pollfd, 4> entries{{{parts_.link.get(), static_cast<short>(busy ? POLLIN | POLLOUT : POLLIN), 0},
                                       {busy ? -1 : parts_.signals.get(), POLLIN, 0},
                                       {host_lives_ ? parts_.host.handle.raw() : -1, POLLIN, 0},
                                       {tree_.children(), POLLIN, 0}}};
        giving_back_.wait(entries);
        if (entries[3].revents != 0) tree_.clear_away();  // whom strangers left, say
        if (entries[2].revents == 0) return;
        host_lives_ = false;
        // The guard sees to it; should somebody have stopped that, it goes on.
        if (parts_.guard_handle) std::ignore = pass_on(*parts_.guard_handle, SIGCONT);
    }

    void pass_signals_on() const {
        signalfd_siginfo taken{};
        while (can_tell(parts_.link) && ::read(parts_.signals.get(), &taken, sizeof taken) == sizeof taken) {
            const auto signal = static_cast<int>(taken.ssi_signo);
            const bool is_for_us = signal == SIGCONT && static_cast<pid_t>(taken.ssi_pid) == parts_.guard;
            if (!is_for_us && !helper_has_it(taken)) tell(parts_.link, {Kind::pass_on, signal});
        }
    }

    // The exit status, when all is over.
    [[nodiscard]] std::optional<int> mind(Note note) {
        switch (note.kind) {
            case Kind::pass_on: break;
            case Kind::started:
                helper_ = note.value;
                tree_.set_helper(helper_);
                break;
            case Kind::stopped: stop_by(note.value, [this] { return helper_is_stopped(); }); break;
            case Kind::left_company: return note.value;
            case Kind::ended:
            case Kind::failed: return await_guard(note.value);
        }
        return std::nullopt;
    }

    // It may have gone on since that was told.
    [[nodiscard]] bool helper_is_stopped() const {
        const auto row = scanner::read_row(parts_.procfs, helper_);
        return row && (row->state == 'T' || row->state == 't');
    }

    [[nodiscard]] int await_guard(int status) const {
        ::waitpid(parts_.guard, nullptr, 0);
        return status;
    }

    // Whatever the guard looked after is adopted here once it is dead.
    [[nodiscard]] int take_over() {
        const int status = await_guard(128 + SIGKILL);
        tree_.end_alone();
        if (parts_.cgroup) parts_.cgroup->remove();
        return tree_.helper_status().value_or(status);
    }

    const SupervisorParts& parts_;
    RunTree tree_;
    GivingBack giving_back_;
    scanner::Pid helper_ = 0;
    bool host_lives_ = true;
};

}  // namespace

int supervise(const SupervisorParts& parts) {
    std::vector<int> kept{parts.procfs.fd(), parts.host.handle.raw(), parts.link.get(), parts.signals.get()};
    if (parts.guard_handle) kept.push_back(parts.guard_handle->raw());
    if (parts.cgroup) kept.push_back(parts.cgroup->folder());
    let_go_of_all_but(parts.procfs, kept);
    return Supervisor(parts).run();
}

}  // namespace reaper::agent
