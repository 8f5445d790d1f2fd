#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "agent/child.hpp"
#include "agent/exit_status.hpp"
#include "agent/give_back.hpp"
#include "agent/here.hpp"
#include "agent/let_go.hpp"
#include "agent/process_control.hpp"
#include "agent/run_guard.hpp"
#include "agent/run_link.hpp"
#include "agent/run_tree.hpp"
#include "policy/run_mark.hpp"

namespace reaper::agent {

namespace {

using Kind = Note::Kind;

// All that somebody may mean for the helper.
sigset_t signals_for_helper() {
    sigset_t set;
    sigfillset(&set);
    for (const int own : {SIGCHLD, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGPIPE}) sigdelset(&set, own);
    return set;
}

tl::unexpected<Message> problem(const std::string& what, ExitStatus status) {
    return tl::unexpected(Message{fmt::format("orphan-reaper: {}\n", what), static_cast<int>(status)});
}

// The first process of `run`: the one that the host sees. It looks like the helper, and looks after the guard.
class Supervisor {
   public:
    Supervisor(RunTree tree, const std::optional<OwnCgroup>& cgroup, Fd link, Fd signals, pid_t guard)
        : tree_(std::move(tree)),
          cgroup_(cgroup),
          link_(std::move(link)),
          signals_(std::move(signals)),
          guard_(guard) {}

    // The helper's exit status.
    [[nodiscard]] int run() {
        for (;;) {
            std::array<pollfd, 2> entries{{{link_.get(), POLLIN, 0}, {signals_.get(), POLLIN, 0}}};
            giving_back_.slept(::poll(entries.data(), entries.size(), giving_back_.timeout()));
            pass_signals_on();
            Note note;
            switch (hear(link_, note)) {
                case Heard::nothing: break;
                case Heard::other_is_gone: return take_over();
                case Heard::note:
                    if (note.kind == Kind::started) tree_.set_helper(note.value);
                    if (note.kind == Kind::left_company) return note.value;
                    if (note.kind == Kind::ended || note.kind == Kind::failed) return await_guard(note.value);
            }
        }
    }

   private:
    // What a terminal sends reaches the helper by itself. What stops the helper stops this process, which stands for it, as well.
    void pass_signals_on() {
        signalfd_siginfo taken{};
        while (::read(signals_.get(), &taken, sizeof taken) == sizeof taken) {
            const auto signal = static_cast<int>(taken.ssi_signo);
            if (taken.ssi_code != SI_KERNEL) tell(link_, {Kind::pass_on, signal});
            if (signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU) take(signal);
        }
    }

    [[nodiscard]] int await_guard(int status) const {
        ::waitpid(guard_, nullptr, 0);
        return status;
    }

    // Whatever the guard looked after is adopted here once it is dead.
    [[nodiscard]] int take_over() {
        const int status = await_guard(128 + SIGKILL);
        tree_.end_alone();
        if (cgroup_) cgroup_->remove();
        return tree_.helper_status().value_or(status);
    }

    RunTree tree_;
    GivingBack giving_back_;
    const std::optional<OwnCgroup>& cgroup_;
    Fd link_;
    Fd signals_;
    pid_t guard_;
};

}  // namespace

tl::expected<int, Message> run_helper(const Options& options) {
    const auto procfs = scanner::Procfs::open();
    if (!procfs) return problem(describe(procfs.error()), ExitStatus::incomplete);
    const auto host = find_host(*procfs, options.parent);
    if (!host) return problem("run: " + host.error(), ExitStatus::usage);

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
    auto made = OwnCgroup::make(*procfs);
    const std::string no_cgroup_because = made ? std::string() : describe(made.error());
    const std::optional<OwnCgroup> cgroup = made ? std::optional(std::move(*made)) : std::nullopt;
    const pid_t guarding = ::fork();
    if (guarding < 0) return problem(describe(system_failure("start", "a guard").value()), ExitStatus::incomplete);
    if (guarding == 0) {
        link->ours.reset();
        signals.reset();
        guard({*procfs, options, *host, cgroup, no_cgroup_because, stdio, link->theirs, before, ignored});
        ::_exit(0);
    }
    link->theirs.reset();
    std::vector<int> kept{procfs->fd(), link->ours.get(), signals.get()};
    if (cgroup) kept.push_back(cgroup->folder());
    let_go_of_all_but(std::move(kept));
    return Supervisor(RunTree(*procfs, cgroup, options, policy::run_mark(host->identity)), cgroup,
                      std::move(link->ours), std::move(signals), guarding)
        .run();
}

}  // namespace reaper::agent
