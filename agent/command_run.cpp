#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "agent/exit_status.hpp"
#include "agent/here.hpp"
#include "agent/let_go.hpp"
#include "agent/run_guard.hpp"
#include "agent/run_link.hpp"
#include "agent/run_supervisor.hpp"
#include "scanner/descendants.hpp"
#include "scanner/machine.hpp"

namespace reaper::agent {

namespace {

// All that somebody may mean for the helper. A fault of our own still ends this process: the kernel unblocks it (force_sig).
sigset_t signals_for_helper() {
    sigset_t set;
    sigfillset(&set);
    sigdelset(&set, SIGCHLD);
    return set;
}

// Whoever started this program may have had children, and then replaced himself by it (execve).
std::set<scanner::Pid> earlier_descendants(const scanner::Procfs& procfs) {
    siginfo_t none{};
    if (::waitid(P_ALL, 0, &none, WEXITED | WNOHANG | WNOWAIT) != 0) return {};  // ECHILD, nearly always
    const auto below = scanner::read_descendants(procfs, {::getpid()}).value_or(std::vector<scanner::Pid>());
    return {below.begin(), below.end()};
}

tl::unexpected<Message> problem(const std::string& what, ExitStatus status) {
    return tl::unexpected(Message{fmt::format("orphan-reaper: {}\n", what), static_cast<int>(status)});
}

}  // namespace

tl::expected<int, Message> run_helper(const Options& options) {
    const auto procfs = scanner::Procfs::open();
    if (!procfs) return problem(describe(procfs.error()), ExitStatus::incomplete);
    const auto host = find_host(*procfs, options.parent);
    if (!host) return problem("run: " + host.error().why, host.error().status);

    // Ignored, as the caller may have had it, nobody's exit status would be told.
    std::vector<int> ignored;
    if (std::signal(SIGCHLD, SIG_DFL) == SIG_IGN) ignored.push_back(SIGCHLD);
    const sigset_t watched = signals_for_helper();
    sigset_t before;
    ::sigprocmask(SIG_BLOCK, &watched, &before);
    Fd signals(::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
    auto link = make_link();
    if (!link) return problem(describe(link.error()), ExitStatus::incomplete);
    if (!signals || ::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        return problem(describe(system_failure("adopt", "processes").value()), ExitStatus::incomplete);

    std::optional<StdioWatch> stdio;
    if (options.idle) {
        auto watch = StdioWatch::make(*options.idle);
        if (!watch)
            return problem("run: --idle: " + describe(watch.error()), watch.error().code == std::errc::invalid_argument
                                                                          ? ExitStatus::usage
                                                                          : ExitStatus::incomplete);
        stdio = std::move(*watch);
    }
    const auto self = scanner::PidHandle::open(::getpid());
    if (!self) return problem(describe(self.error()), ExitStatus::incomplete);
    const auto strangers = earlier_descendants(*procfs);
    auto made = OwnCgroup::make(*procfs);
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
        guard({*procfs, options, *host, cgroup, no_cgroup_because, stdio, link->theirs, *self, before, ignored});
        ::_exit(0);
    }
    link->theirs.reset();
    const auto handle = scanner::PidHandle::open(guarding);
    return supervise({*procfs, options, *host, cgroup, link->ours, signals, guarding, handle, strangers});
}

}  // namespace reaper::agent
