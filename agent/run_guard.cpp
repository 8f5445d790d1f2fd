#include "agent/run_guard.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <tuple>

#include <fmt/format.h>

#include "agent/child.hpp"
#include "agent/exit_status.hpp"
#include "agent/give_back.hpp"
#include "agent/let_go.hpp"
#include "agent/process_control.hpp"
#include "agent/run_link.hpp"
#include "agent/run_tree.hpp"
#include "policy/run_mark.hpp"

namespace reaper::agent {

namespace {

using Kind = Note::Kind;

void say(const std::string& text) {
    std::fprintf(stderr, "orphan-reaper: %s\n", text.c_str());
}

// Whatever is meant for the helper, this process outlives.
void block_all_signals() {
    sigset_t all;
    sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
}

class Guard {
   public:
    Guard(const GuardParts& parts, pid_t group)
        : parts_(parts),
          group_(group),
          mark_(policy::run_mark(parts.host.identity)),
          tree_(parts.procfs, parts.cgroup, parts.options, mark_) {}

    [[nodiscard]] Result<void> start_helper() {
        auto child = start_in_cgroup_or_not();
        if (!child) return tl::unexpected(child.error());
        child_ = std::move(*child);
        tree_.set_helper(child_->handle().pid());
        tell(parts_.link, {Kind::started, child_->handle().pid()});
        if (parts_.options.verbose) say(about_helper());
        std::vector<int> kept{parts_.procfs.fd(), parts_.host.handle.raw(), parts_.link.get(), tree_.children(),
                              child_->handle().raw()};
        if (parts_.cgroup) kept.push_back(parts_.cgroup->folder());
        if (parts_.stdio) kept.push_back(parts_.stdio->raw());
        let_go_of_all_but(std::move(kept));
        return {};
    }

    void watch() {
        while (!tree_.collect()) {
            if (tree_.helper_status()) {
                tell(parts_.link, {Kind::left_company, *tree_.helper_status()});
                return tree_.end_alone();  // run returns now
            }
            std::array<pollfd, 3> entries{
                {{parts_.host.handle.raw(), POLLIN, 0}, {parts_.link.get(), POLLIN, 0}, {tree_.children(), POLLIN, 0}}};
            const int timeout = parts_.stdio ? parts_.stdio->timeout() : giving_back_.timeout();
            giving_back_.slept(::poll(entries.data(), entries.size(), timeout));
            const bool host_died = entries[0].revents != 0;
            if (!pass_signals_on()) return tree_.end_alone();
            if (host_died || (parts_.stdio && parts_.stdio->is_idle())) return tree_.end();
        }
    }

    [[nodiscard]] std::optional<int> helper_status() const { return tree_.helper_status(); }

   private:
    // A system may let a cgroup be made, and not let anybody be born there.
    [[nodiscard]] Result<Child> start_in_cgroup_or_not() {
        Launch launch{parts_.options.program, {fmt::format("{}={}", policy::kRunMark, mark_)}};
        launch.mask = parts_.mask;
        launch.ignored = parts_.ignored;
        launch.process_group = group_;
        launch.told_when_we_die = true;
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
        return fmt::format("pid {} ends with pid {} ({}), {}", child_->handle().pid(), parts_.host.identity.pid,
                           parts_.host.comm,
                           by_cgroup ? fmt::format("by a cgroup of its own: {}", parts_.cgroup->path())
                                     : fmt::format("by child subreaper, without a cgroup: {}", why_not));
    }

    // False: the first process is gone.
    [[nodiscard]] bool pass_signals_on() {
        Note note;
        for (;;) {
            switch (hear(parts_.link, note)) {
                case Heard::nothing: return true;
                case Heard::other_is_gone: return false;
                case Heard::note:
                    if (note.kind == Kind::pass_on) std::ignore = pass_on(child_->handle(), note.value);
            }
        }
    }

    const GuardParts& parts_;
    pid_t group_;  // of the first process, and of the helper
    std::string mark_;
    RunTree tree_;
    GivingBack giving_back_;
    std::optional<Child> child_;
    std::string no_cgroup_because_;
};

}  // namespace

void guard(const GuardParts& parts) {
    block_all_signals();
    Guard guard(parts, ::getpgrp());
    // A group of its own: killing the one of the helper must not take along who looks after the rest.
    std::ignore = ::setpgid(0, 0);
    if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) return;
    const auto started = guard.start_helper();
    if (started) guard.watch();
    if (parts.cgroup) parts.cgroup->remove();
    if (!started) {
        say(describe(started.error()));
        return tell(parts.link, {Kind::failed, static_cast<int>(ExitStatus::incomplete)});
    }
    tell(parts.link, {Kind::ended, guard.helper_status().value_or(static_cast<int>(ExitStatus::not_ended))});
}

}  // namespace reaper::agent
