#include "agent/run_tree.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <tuple>

#include "agent/child.hpp"
#include "agent/process_control.hpp"
#include "agent/run_end.hpp"
#include "scanner/descendants.hpp"

namespace reaper::agent {

namespace {

using scanner::Pid;
using std::chrono::milliseconds;
using Clock = RunEnd::Clock;

Fd watch_children() {
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &children, nullptr);
    return Fd(::signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK));
}

void empty(const Fd& children) {
    signalfd_siginfo taken{};
    while (::read(children.get(), &taken, sizeof taken) > 0) continue;
}

}  // namespace

RunTree::RunTree(const scanner::Procfs& procfs, const std::optional<OwnCgroup>& cgroup, const Options& options,
                 std::string mark, std::set<Pid> strangers)
    : procfs_(procfs),
      cgroup_(cgroup),
      options_(options),
      mark_(std::move(mark)),
      strangers_(std::move(strangers)),
      children_(watch_children()) {}

bool RunTree::collect() {
    if (kin_) {
        kin_->look();
        return kin_->empty();
    }
    return reap() || (!strangers_.empty() && read_members().empty());
}

// True: there is no child left, and so nobody below one.
bool RunTree::reap() {
    empty(children_);
    for (;;) {
        int status = 0;
        const pid_t ended = ::waitpid(-1, &status, WNOHANG);
        if (ended <= 0) return ended < 0;  // ECHILD
        if (ended == helper_) helper_status_ = shell_status(status);
        strangers_.erase(ended);
    }
}

std::vector<Pid> RunTree::read_members() const {
    if (kin_) return kin_->pids();
    auto members = scanner::read_descendants(procfs_, {::getpid()}, strangers_).value_or(std::vector<Pid>());
    if (successor_) std::erase(members, successor_->pid());
    return members;
}

Result<bool> RunTree::is_ours(Pid pid) const {
    if (kin_) return kin_->has(pid);
    return scanner::is_descendant(procfs_, pid, ::getpid(), strangers_);
}

void RunTree::end() {
    began_ = Clock::now();
    go_on();
}

void RunTree::end_alone() {
    began_ = Clock::now();
    successor_ = Successor::appoint(procfs_, {mark_, strangers_}, [this](Kin kin) { succeed(std::move(kin)); });
    go_on();
    if (successor_) successor_->dismiss();
}

// In the successor. The grace goes on from the first TERM.
void RunTree::succeed(Kin kin) {
    kin_.emplace(std::move(kin));
    go_on();
    if (!cgroup_) return;
    std::ignore = kill_all_in_cgroup(cgroup_->folder());  // who came since the last look
    cgroup_->remove();
}

// True: nobody is left. Who ends meanwhile is cleared away as by any init: the numbers of processes are few.
bool RunTree::collect_until(Clock::time_point moment) {
    for (;;) {
        if (collect()) return true;
        const auto left = std::chrono::ceil<milliseconds>(moment - Clock::now());
        if (left <= milliseconds(0)) return false;
        pollfd entry{children_.get(), POLLIN, 0};
        ::poll(&entry, 1, static_cast<int>(left.count()));
    }
}

void RunTree::go_on() {
    RunEnd ending({procfs_, cgroup_, options_, [this](Pid pid) { return is_ours(pid); }}, began_);
    // It need not be looked for, which takes long where there are many processes.
    if (helper_ && !helper_status_) ending.tell({*helper_});
    while (!collect()) {
        ending.tell(read_members());
        if (!ending.finish() || collect_until(ending.next())) return;
    }
}

}  // namespace reaper::agent
