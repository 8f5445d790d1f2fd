#include "agent/run/process_tree.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <tuple>

#include "agent/reaping/child.hpp"
#include "agent/reaping/process_control.hpp"
#include "agent/run/termination.hpp"
#include "scanner/descendants.hpp"

namespace reaper::agent {

namespace {

using scanner::Pid;
using std::chrono::milliseconds;
using Clock = RunEnd::Clock;

constexpr std::size_t kMostBelow = 1000;  // below the helper; where more are, all are looked for

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

RunTree::RunTree(const scanner::ProcessTable& table, const std::optional<OwnCgroup>& cgroup,
                 const ScopeOptions& options, const std::vector<std::string>& program)
    : table_(table),
      cgroup_(cgroup),
      options_(options),
      program_(program),
      children_(watch_children()) {}

// True: there is no child left, and so no process below one.
bool RunTree::collect() {
    empty(children_);
    for (;;) {
        int status = 0;
        const pid_t ended = ::waitpid(-1, &status, WNOHANG);
        if (ended <= 0) return ended < 0;  // ECHILD
        if (ended == helper_) helper_status_ = shell_status(status);
    }
}

Result<std::vector<Pid>> RunTree::read_members() const {
    return scanner::read_descendants(table_, {::getpid()});
}

// Empty: it has ended, or what is below it cannot be told by this way.
std::vector<Pid> RunTree::list_helper_and_below() const {
    if (!helper_ || helper_status_) return {};
    const auto below = scanner::list_descendants(table_, *helper_, kMostBelow);
    if (!below) return {};
    std::vector<Pid> pids{*helper_};
    pids.insert(pids.end(), below->begin(), below->end());
    return pids;
}

Result<bool> RunTree::is_ours(Pid pid) const {
    return scanner::is_descendant(table_, pid, ::getpid());
}

// True: no process is left. Those that end meanwhile are cleared away as by any init: the numbers
// of processes are few.
bool RunTree::collect_until(Clock::time_point moment) {
    for (;;) {
        if (collect()) return true;
        const auto left = std::chrono::ceil<milliseconds>(moment - Clock::now());
        if (left <= milliseconds(0)) return false;
        pollfd entry{children_.get(), POLLIN, 0};
        ::poll(&entry, 1, static_cast<int>(left.count()));
    }
}

void RunTree::end() {
    RunEnd ending({table_, cgroup_, options_, [this](Pid pid) { return is_ours(pid); },
                   helper_status_ ? std::nullopt : helper_, program_},
                  Clock::now());
    // These need not be looked for, which takes long where there are many processes.
    ending.begin_new(list_helper_and_below());
    while (!collect()) {
        const auto members = read_members();
        ending.begin_new(members.value_or(std::vector<Pid>()));
        if (!members) ending.note_unread(members.error());
        if (!ending.advance() || collect_until(ending.next())) return;
    }
}

}  // namespace reaper::agent
