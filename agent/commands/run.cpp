#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "agent/commands/platform.hpp"
#include "agent/reaping/close_descriptors.hpp"
#include "agent/run/guard.hpp"
#include "agent/run/message_channel.hpp"
#include "agent/run/stand_in.hpp"
#include "agent/run/supervisor.hpp"
#include "agent/system/exit_status.hpp"
#include "scanner/machine.hpp"

namespace reaper::agent {

namespace {

// All signals that may be meant for the helper. A fault of our own still ends this process: the
// kernel unblocks it (force_sig).
sigset_t signals_for_helper() {
    sigset_t set;
    sigfillset(&set);
    sigdelset(&set, SIGCHLD);
    return set;
}

tl::unexpected<Message> problem(const std::string& what, ExitStatus status) {
    return tl::unexpected(
        Message{fmt::format("orphan-reaper: {}\n", what), static_cast<int>(status)});
}

}  // namespace

tl::expected<int, Message> run_helper(const ScopeOptions& options, const RunOptions& own,
                                      bool verbose) {
    const auto table = scanner::ProcessTable::open();
    if (!table) return problem(describe(table.error()), ExitStatus::incomplete);
    const auto host = find_host(*table, own.parent);
    if (!host) return problem("run: " + host.error().why, host.error().status);

    // Were it ignored, as the caller may have left it, no exit status would be told.
    std::vector<int> ignored;
    if (std::signal(SIGCHLD, SIG_DFL) == SIG_IGN) ignored.push_back(SIGCHLD);
    const sigset_t watched = signals_for_helper();
    sigset_t before;
    ::sigprocmask(SIG_BLOCK, &watched, &before);
    std::optional<StandIn> front;
    if (has_children()) {  // the process that became this program by execve had them
        auto stands = stand_in(*table);
        if (!stands) return problem(describe(stands.error()), ExitStatus::incomplete);
        if (stands->status) return *stands->status;
        front = std::move(*stands);
    }
    Fd signals(::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
    auto link = make_link();
    if (!link) return problem(describe(link.error()), ExitStatus::incomplete);
    if (!signals || ::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        return problem(describe(system_failure("adopt", "processes").value()),
                       ExitStatus::incomplete);

    std::optional<StdioWatch> stdio;
    if (own.idle) {
        auto watch = StdioWatch::make(*own.idle);
        if (!watch)
            return problem("run: --idle: " + describe(watch.error()),
                           watch.error().code == std::errc::invalid_argument
                               ? ExitStatus::usage
                               : ExitStatus::incomplete);
        stdio = std::move(*watch);
    }
    const auto self = scanner::PidHandle::open(::getpid());
    if (!self) return problem(describe(self.error()), ExitStatus::incomplete);
    auto made = OwnCgroup::make(*table);
    const std::string no_cgroup_because = made ? std::string() : describe(made.error());
    const std::optional<OwnCgroup> cgroup = made ? std::optional(std::move(*made)) : std::nullopt;
    const pid_t guarding = ::fork();
    if (guarding < 0) {
        const auto failed = system_failure("start", "a guard");
        if (cgroup) cgroup->remove();
        return problem(describe(failed.value()), ExitStatus::incomplete);
    }
    if (guarding == 0) {
        link->ours.reset();
        signals.reset();
        guard({*table, options, own.program, verbose, *host, cgroup, no_cgroup_because, stdio,
               link->theirs, *self, before, front, std::move(ignored)});
        ::_exit(0);
    }
    link->theirs.reset();
    const auto handle = scanner::PidHandle::open(guarding);
    return supervise(
        {*table, options, own.program, *host, cgroup, link->ours, signals, guarding, handle});
}

}  // namespace reaper::agent
