#include "agent/run/guard.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <tuple>

#include <fmt/format.h>

#include "agent/reaping/child.hpp"
#include "agent/reaping/close_descriptors.hpp"
#include "agent/reaping/process_control.hpp"
#include "agent/run/message_channel.hpp"
#include "agent/run/process_tree.hpp"
#include "agent/run/unmap_code.hpp"
#include "agent/system/exit_status.hpp"
#include "agent/system/text_file.hpp"
#include "policy/rules/run_mark.hpp"

namespace reaper::agent {

namespace {

using Kind = Note::Kind;

// Does not wait until it is read: the helper is to be looked after meanwhile.
void say(const std::string& text) {
    std::ignore = offer(STDERR_FILENO, fmt::format("orphan-reaper: {}\n", text));
}

// This process outlives whatever is meant for the helper.
void block_all_signals() {
    sigset_t all;
    sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
}

class Guard {
   public:
    explicit Guard(const GuardParts& parts)
        : parts_(parts),
          mark_(policy::run_mark(parts.host.identity)),
          tree_(parts.table, parts.cgroup, parts.options, parts.program) {}

    [[nodiscard]] Result<void> start_helper() {
        auto child = start_in_cgroup_or_not();
        if (!child) return tl::unexpected(child.error());
        child_ = std::move(*child);
        tree_.set_helper(child_->handle().pid());
        send_note(parts_.link, {Kind::started, child_->handle().pid()});
        if (parts_.verbose) say(about_helper());
        std::vector<int> kept{parts_.host.handle.raw(), parts_.link.get(), tree_.children(),
                              child_->handle().raw()};
        kept.push_back(parts_.first.raw());
        if (parts_.cgroup) kept.push_back(parts_.cgroup->folder());
        if (parts_.stdio) kept.push_back(parts_.stdio->raw());
        if (parts_.front) {
            kept.push_back(parts_.front->process->raw());
            kept.push_back(parts_.front->alive.get());
        }
        close_descriptors_except(parts_.table, kept);
        return {};
    }

    void watch() {
        while (!tree_.collect()) {
            if (tree_.helper_status()) {
                tell_end({Kind::left_others, *tree_.helper_status()});
                return tree_.end();  // run returns now
            }
            follow_stops();
            std::array<pollfd, 3> entries{{{parts_.host.handle.raw(), POLLIN, 0},
                                           {parts_.link.get(), POLLIN, 0},
                                           {tree_.children(), POLLIN, 0}}};
            idle_trim_.wait(entries, parts_.stdio ? parts_.stdio->timeout() : -1);
            const bool host_died = entries[0].revents != 0;
            if (!pass_signal_on()) return tree_.end();
            if (host_died || (parts_.stdio && parts_.stdio->is_idle())) return tree_.end();
        }
    }

    // A stopped process sees no end.
    void tell_end(Note note) const {
        send_note(parts_.link, note);
        wake_first();
    }

    [[nodiscard]] std::optional<int> helper_status() const { return tree_.helper_status(); }

   private:
    // A system may let a cgroup be made, and not let a process be born there.
    [[nodiscard]] Result<Child> start_in_cgroup_or_not() {
        Launch launch{parts_.program, {fmt::format("{}={}", policy::kRunMark, mark_)}};
        launch.mask = parts_.mask;
        launch.ignored = parts_.ignored;
        // The group is the first process's alone then: killing it does not end this process as
        // well, and the kernel does not count this process among those that could continue it once
        // it is stopped (will_become_orphaned_pgrp).
        launch.leave_session = true;
        launch.term_on_parent_exit = true;
        if (parts_.cgroup) {
            launch.cgroup = parts_.cgroup->folder();
            auto child = start(launch);
            if (child) return child;
            no_cgroup_because_ = describe(child.error());
            launch.cgroup.reset();
        }
        return start(launch);
    }

    [[nodiscard]] std::string about_helper() const {
        const bool by_cgroup = parts_.cgroup && no_cgroup_because_.empty();
        const std::string& why_not = parts_.cgroup ? no_cgroup_because_ : parts_.no_cgroup_because;
        return fmt::format("pid {} ends with pid {} ({}), {}", child_->handle().pid(),
                           parts_.host.identity.pid, parts_.host.comm,
                           by_cgroup
                               ? fmt::format("by a cgroup of its own: {}", parts_.cgroup->path())
                               : fmt::format("by child subreaper, without a cgroup: {}", why_not));
    }

    // The first process stands for the helper: it stops, and goes on, with it.
    void follow_stops() const {
        siginfo_t change{};
        const auto helper = static_cast<id_t>(child_->handle().pid());
        if (::waitid(P_PID, helper, &change, WSTOPPED | WCONTINUED | WNOHANG) != 0 ||
            change.si_pid == 0)
            return;
        if (change.si_code == CLD_CONTINUED) return wake_first();
        send_note(parts_.link, {Kind::stopped, change.si_status});
    }

    void wake_first() const {
        std::ignore = pass_on(parts_.first, SIGCONT);
        if (parts_.front) std::ignore = pass_on(*parts_.front->process, SIGCONT);
    }

    // Forwards one signal: many must not keep this process from its other duties. False: the first
    // process is gone.
    [[nodiscard]] bool pass_signal_on() const {
        Note note;
        const Received received = receive_note(parts_.link, note);
        if (received == Received::note && note.kind == Kind::pass_on)
            std::ignore = pass_on(child_->handle(), note.value);
        return received != Received::other_is_gone;
    }

    const GuardParts& parts_;
    std::string mark_;
    RunTree tree_;
    IdleTrim idle_trim_;
    std::optional<Child> child_;
    std::string no_cgroup_because_;
};

}  // namespace

void guard(const GuardParts& parts) {
    block_all_signals();
    Guard guard(parts);
    // CONT when the first process dies: one that was stopped before that is not stopped for good.
    ::prctl(PR_SET_PDEATHSIG, SIGCONT);
    if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) return;
    const auto started = guard.start_helper();
    if (started) guard.watch();
    if (parts.cgroup) parts.cgroup->remove();
    if (!started) {
        say(describe(started.error()));
        return guard.tell_end({Kind::failed, static_cast<int>(ExitStatus::incomplete)});
    }
    guard.tell_end(
        {Kind::ended, guard.helper_status().value_or(static_cast<int>(ExitStatus::not_ended))});
}

}  // namespace reaper::agent
