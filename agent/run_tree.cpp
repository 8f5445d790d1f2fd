#include "agent/run_tree.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <list>
#include <tuple>

#include "agent/child.hpp"
#include "agent/setup.hpp"
#include "policy/match.hpp"
#include "scanner/activity.hpp"
#include "scanner/descendants.hpp"

namespace reaper::agent {

namespace {

using scanner::Pid;
using std::chrono::milliseconds;
using Clock = ReaperTarget::Clock;

constexpr milliseconds kPause{10};       // before looking again, where nobody could be ended
constexpr milliseconds kGivingUp{5000};  // how long nobody could

class StillOurs final : public Verifier {
   public:
    StillOurs(const scanner::Procfs& procfs, const std::optional<Kin>& kin) : procfs_(procfs), kin_(kin) {}

    Result<std::optional<std::string>> objection(const Target& target) override {
        const Pid pid = target.handle.pid();
        const auto ours = kin_ ? Result<bool>(kin_->has(pid)) : scanner::is_descendant(procfs_, pid, ::getpid());
        if (!ours) return tl::unexpected(ours.error());
        return *ours ? std::nullopt : std::optional<std::string>("was not started here");
    }

   private:
    const scanner::Procfs& procfs_;
    const std::optional<Kin>& kin_;
};

// The host is gone: there is nobody to tell.
class Untold final : public DecisionLog, public Progress {
   public:
    Result<void> about_to_signal(const Target&, Signal) override { return {}; }
    void ended(const Target&, const Outcome&) override {}
    void waiting(std::size_t, std::size_t, milliseconds) override {}
};

// What a rule file says counts; one that is not to be trusted must not keep anybody alive.
policy::Rules rules_for(const Options& options) {
    auto setup = prepare(options);
    return setup ? std::move(setup->rules) : policy::built_in_rules();
}

bool has_ended(const ReaperTarget& target) {
    const OutcomeResult result = target.outcome().result;
    return result == OutcomeResult::ended_on_term || result == OutcomeResult::ended_on_kill;
}

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

milliseconds left_of(milliseconds time, Clock::time_point began) {
    const auto gone = std::chrono::duration_cast<milliseconds>(Clock::now() - began);
    return std::max(time - gone, milliseconds(0));
}

}  // namespace

RunTree::RunTree(const scanner::Procfs& procfs, const std::optional<OwnCgroup>& cgroup, const Options& options,
                 std::string mark)
    : procfs_(procfs), cgroup_(cgroup), options_(options), mark_(std::move(mark)), children_(watch_children()) {}

bool RunTree::collect() {
    if (kin_) {
        kin_->look();
        return kin_->empty();
    }
    empty(children_);
    for (;;) {
        int status = 0;
        const pid_t ended = ::waitpid(-1, &status, WNOHANG);
        if (ended <= 0) return ended < 0;  // ECHILD: without a child there is nobody below one
        if (ended == helper_) helper_status_ = shell_status(status);
    }
}

RunTree::Grace RunTree::grace_of(Pid pid) const {
    policy::FamilyRule family = policy::default_family("");
    const auto row = scanner::read_program(procfs_, pid);
    const auto match = row ? policy::match(*rules_, *row) : std::nullopt;
    if (match) family = *match->rule;
    const milliseconds term = options_.grace.value_or(family.grace);
    return {term, std::max(term, options_.grace_cap.value_or(family.grace_cap))};
}

// Those who came late have what is left of the time.
void RunTree::grant_grace(Target& target) {
    if (!rules_) rules_ = rules_for(options_);
    const Grace grace = grace_of(target.handle.pid());
    grace_ends_ = std::max(grace_ends_, began_ + grace.term);
    target.step.grace = left_of(grace.term, began_);
    target.step.grace_cap = left_of(grace.cap, began_);
}

std::vector<Pid> RunTree::read_members() const {
    if (kin_) return kin_->pids();
    auto members = scanner::read_descendants(procfs_, ::getpid()).value_or(std::vector<Pid>());
    if (successor_) std::erase(members, successor_->pid());
    return members;
}

// True: somebody did end.
bool RunTree::end_those_there(const ReaperParts& parts) {
    const ReaperTimes times;
    std::list<Target> targets;  // the running ones point into it
    std::vector<ReaperTarget> running;
    const auto tell = [&](Pid pid) {
        auto handle = scanner::PidHandle::open(pid);
        if (!handle) return;
        targets.push_back({policy::Judgement(), std::move(*handle)});
        running.emplace_back(targets.back(), parts, times);
        running.back().verify();
        running.back().terminate();
    };
    // It need not be looked for, which takes long where there are many processes.
    if (helper_ && !helper_status_) tell(*helper_);
    for (const Pid pid : read_members()) {
        if (pid != helper_) tell(pid);
    }
    // All have been told; how long they may take can be read up now.
    for (Target& target : targets) grant_grace(target);
    for (ReaperTarget& target : running) {
        target.learn_grace();
        target.sample_at_term();
    }
    std::ignore = wait_for_all(running, parts);
    return std::ranges::any_of(running, has_ended);
}

void RunTree::end() {
    began_ = grace_ends_ = Clock::now();
    go_on();
}

void RunTree::end_alone() {
    began_ = grace_ends_ = Clock::now();
    successor_ = Successor::appoint(procfs_, mark_, [this](Kin kin) { succeed(std::move(kin)); });
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

void RunTree::go_on() {
    const auto control = make_descendant_control();
    StillOurs verifier(procfs_, kin_);
    Untold untold;
    // Who ends while others have their grace is cleared away as by any init: the numbers of processes are few.
    const ReaperParts parts{
        *control,
        verifier,
        untold,
        untold,
        [this](const scanner::PidHandle& handle) { return scanner::read_activity(procfs_, handle); },
        -1,
        {children_.get(), [this] { std::ignore = collect(); }}};
    auto progress = Clock::now();
    while (!collect()) {
        const bool overdue = Clock::now() >= grace_ends_ && grace_ends_ > began_;
        if (overdue && cgroup_) std::ignore = kill_all_in_cgroup(cgroup_->folder());
        if (end_those_there(parts)) {
            progress = Clock::now();
        } else if (Clock::now() - progress > kGivingUp) {
            return;
        } else {
            ::poll(nullptr, 0, static_cast<int>(kPause.count()));
        }
    }
}

}  // namespace reaper::agent
