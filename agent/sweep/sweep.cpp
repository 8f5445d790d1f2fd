#include "agent/sweep/sweep.hpp"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <tuple>

#include <fmt/format.h>

#include "agent/history/file.hpp"
#include "agent/observe/second_look.hpp"
#include "agent/reaping/descriptors.hpp"
#include "agent/reaping/reaper.hpp"
#include "agent/report/build.hpp"
#include "agent/report/text/progress.hpp"
#include "agent/sweep/respawn_history.hpp"
#include "agent/sweep/respawns.hpp"
#include "policy/match/parentage.hpp"
#include "policy/verdict/respawn_veto.hpp"

namespace reaper::agent {

using policy::Judgement;
using scanner::Pid;

namespace {

// What is ended may have been a host: then it leaves leaks of its own. A tree of hosts is not
// deeper than this.
constexpr int kRounds = 4;

// Until init has cleared the dead away: a zombie still looks like an owner.
constexpr std::chrono::milliseconds kZombieReapDelay{100};

// The usual keepalives start again within 5 s what was ended.
constexpr std::chrono::seconds kKeepalive{6};
constexpr std::chrono::milliseconds kPause{500};

// A watch tells what it does as it does it; its lines are a journal.
int terminal_of(const SweepOptions& options) {
    return options.command == Command::watch ? -1 : terminal_to_draw_on(options.quiet);
}

void tell_of_waiting(int terminal) {
    constexpr std::string_view kText =
        "looking for a few seconds for what starts again after its end\n";
    if (terminal >= 0) std::ignore = ::write(terminal, kText.data(), kText.size());
}

// While a live line is drawn, the decisions are not written where it stands.
HistoryEcho echo_of(const SweepOptions& options) {
    const bool is_watch = options.command == Command::watch;
    const bool watched = !is_watch && ::isatty(STDERR_FILENO) == 1 && !options.verbose;
    return {STDERR_FILENO, !watched && !options.quiet, !is_watch};
}

}  // namespace

Sweep::Sweep(const scanner::ProcessTable& table, const SweepOptions& options, const Setup& setup,
             const Interrupt& interrupt, SweepLocks& locks, KeepHandles only)
    : table_(table),
      options_(options),
      setup_(setup),
      interrupt_(interrupt),
      locks_(locks),
      observer_(table, setup.rules, setup.uid),
      past_(history_folder()),
      history_(options.no_history || options.dry_run ? HistoryUse::none : HistoryUse::keep,
               history_folder(), echo_of(options), options.from),
      only_(std::move(only)) {}

Result<Report> Sweep::run() {
    if (!options_.dry_run) in_the_way_ = locks_.hold(::geteuid());
    auto seen = look(only_);
    if (!seen) return tl::unexpected(seen.error());
    for (const Judgement& judgement : seen->judgements) {
        if (!only_ || only_->contains(judgement.identity.pid))
            known_.insert(judgement.identity.pid);
    }
    if (in_the_way_.empty()) note(unnoted_);
    if (auto done = end_leaks(*seen, kRounds); !done) return tl::unexpected(done.error());
    if (!only_) wait_for_keepalives(*seen);  // a watch goes on looking
    return conclude_with(*seen);
}

Result<Judged> Sweep::look(const KeepHandles& held) {
    const auto began = Clock::now();
    auto judged = look_and_judge(observer_, setup_, held);
    if (judged) unnoted_ = apply_respawn_history(*judged, setup_, past_);
    look_took_ = Clock::now() - began;
    seen_at_ = only_ ? began : Clock::now();
    return judged;
}

// True: an interrupt came first.
bool Sweep::sleep_until(Clock::time_point moment) const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(moment - Clock::now());
    return interrupt_.wait(std::max(left, std::chrono::milliseconds(0)));
}

// A watch is to be on time among hundreds of helpers: it looks at all of them just before the
// settle time is over, and when it is, at those that are to end (FreshVerifier). Holds only what
// they rely on besides: descriptors are few.
Result<Judged> Sweep::look_when_settled(const policy::Plan& plan) {
    const auto settled = seen_at_ + options_.settle;
    const auto interrupted = [] {
        return failure(std::errc::interrupted, "wait for", "the settle time");
    };
    if (sleep_until(settled - (only_ ? look_took_ * 3 / 2 : Clock::duration{})))
        return interrupted();
    std::set<Pid> relied_on;
    for (const Judgement& step : plan.steps)
        relied_on.insert(step.relies_on.begin(), step.relies_on.end());
    auto judged = look(relied_on);
    return judged && sleep_until(settled) ? interrupted() : std::move(judged);
}

// Ends what `seen` says is leaked. Afterwards that is the last look, with all that was to end as it
// was when that was decided.
Result<void> Sweep::end_leaks(Judged& seen, int rounds) {
    leave_to_keepalives(seen.judgements);
    policy::Plan plan = plan_of_new_leaks(seen);
    if (!plan.refused.empty())
        refuse(plan.refused, "the plan was refused as a whole", plan.refusal);
    if (plan.steps.empty() && !plan.refused.empty()) return {};
    if (!plan.steps.empty() && !in_the_way_.empty()) {
        refuse(plan.steps, in_the_way_, in_the_way_);
        return {};
    }
    if (!options_.dry_run) leave_to_others(plan, seen.look.facts);
    const auto whole = keep_what_can_be_held(plan, seen);
    if (!whole) return tl::unexpected(whole.error());
    if (plan.steps.empty()) return *whole ? Result<void>{} : look_after(seen, rounds - 1);
    auto second = look_when_settled(plan);
    if (!second && second.error().code == std::errc::interrupted) {
        refuse(plan.steps, "interrupted");
        return {};
    }
    if (!second) return tl::unexpected(second.error());
    std::set<Pid> earlier_rounds = tried();
    std::vector<Target> targets = settled_targets(plan, seen.look, *second, outcomes_);
    if (planned_) leave_changed(targets, *planned_, *second, outcomes_);
    end(std::move(targets), second->look);  // keeps none of their handles
    std::set<Pid> over = missing_steps(plan, second->judgements);
    over.merge(earlier_rounds);
    seen = keep_from(seen, std::move(*second), over);
    if (before_.empty()) before_ = sightings_of(seen);
    if (!*whole) return look_after(seen, rounds);  // each batch leaves fewer
    return options_.dry_run ? Result<void>{} : look_after(seen, rounds - 1);
}

// Finds what came back, and ends what has lost its host just now.
Result<void> Sweep::look_after(Judged& seen, int rounds) {
    const bool interrupted = interrupt_.wait(kZombieReapDelay);
    const bool looked = look_for_respawns(seen);
    return rounds == 0 || interrupted || !looked ? Result<void>{} : end_leaks(seen, rounds);
}

// False: the look failed, which says nothing about any process.
bool Sweep::look_for_respawns(Judged& seen) {
    auto after = look(only_);
    if (!after) return false;
    note(find_respawns(before_, *after, outcomes_));
    seen = keep_from(seen, std::move(*after), tried());
    return true;
}

// Waits for respawns of what has been ended: a later run may see only those that came after them,
// too late to be told from others.
void Sweep::wait_for_keepalives(Judged& seen) {
    const auto last_moment = Clock::now() + kKeepalive;
    const auto is_awaited = [this](const Judgement& judgement) {
        return may_come_again(judgement, outcomes_);
    };
    if (std::ranges::any_of(seen.judgements, is_awaited)) tell_of_waiting(terminal_of(options_));
    while (Clock::now() < last_moment && std::ranges::any_of(seen.judgements, is_awaited)) {
        if (interrupt_.wait(kPause)) return;
        std::ignore = look_for_respawns(seen);
    }
}

void Sweep::note(const std::vector<Respawn>& respawns) {
    for (const Respawn& respawn : respawns) history_.respawned(respawn);
}

std::set<Pid> Sweep::tried() const {
    std::set<Pid> pids;
    for (const auto& [pid, outcome] : outcomes_) pids.insert(pid);
    return pids;
}

// Tries nothing twice, and nothing that came meanwhile: that may be a host which starts again what
// was ended.
policy::Plan Sweep::plan_of_new_leaks(const Judged& seen) const {
    std::vector<Judgement> judgements = seen.judgements;
    std::erase_if(judgements, [&](const Judgement& one) {
        return outcomes_.contains(one.identity.pid) || !known_.contains(one.identity.pid);
    });
    if (planned_) keep_planned(judgements, *planned_, seen.look.facts);
    return policy::make_plan(judgements, options_.max_kills, earlier_);
}

// False: a part of it, as much as there are handles for. These are opened before the evidence for
// that part is read once more; the rest comes when it has ended.
Result<bool> Sweep::keep_what_can_be_held(policy::Plan& plan, Judged& seen) {
    if (can_be_held(plan, seen.look)) return true;
    const std::set<Pid> batch = first_batch(plan, seen.look.room);
    if (batch.empty()) {
        const std::string why = describe_descriptor_limit() + ": too few to hold what is to end";
        refuse(plan.steps, why, why);
        plan.steps.clear();
        return true;
    }
    if (!told_of_batches_)
        remarks_.push_back(fmt::format("{}: {} processes are ended in batches of {}",
                                       describe_descriptor_limit(), plan.steps.size(),
                                       batch.size()));
    told_of_batches_ = true;
    seen.look.handles.clear();
    auto again = look(batch);
    if (!again) return tl::unexpected(again.error());
    seen = keep_from(seen, std::move(*again), tried());
    plan = plan_of_new_leaks(seen);
    std::erase_if(plan.steps, [&](const Judgement& step) {
        const Pid pid = step.identity.pid;
        const bool held = seen.look.handles.contains(pid);
        if (!held && batch.contains(pid))  // or it would be tried for ever
            outcomes_[pid] =
                not_done(pid, OutcomeResult::refused, "no handle of it could be opened");
        return !held;
    });
    return false;
}

void Sweep::end(std::vector<Target> targets, Look& look) {
    for (const Target& target : targets) ++earlier_[target.step.uid];
    FreshVerifier verifier(observer_, setup_, look);
    LiveLine line(terminal_of(options_));
    const auto control = options_.dry_run ? make_dry_run_control() : make_process_control();
    const ReaperParts parts{
        *control,
        verifier,
        history_,
        line,
        [this](const scanner::PidHandle& handle) { return scanner::read_activity(table_, handle); },
        interrupt_.raw()};
    for (Outcome& outcome : reap(std::move(targets), parts))
        outcomes_[outcome.pid] = std::move(outcome);
    line.erase();
}

// To end those once more would change nothing, and that they are left is no success.
void Sweep::leave_to_keepalives(const std::vector<Judgement>& judgements) {
    for (const Judgement& judgement : judgements) {
        if (!judgement.kept_alive) continue;
        const Pid pid = judgement.identity.pid;
        outcomes_[pid] =
            not_done(pid, OutcomeResult::refused, policy::find_respawn_veto(judgement)->detail);
    }
}

// Users whose processes another sweep is ending, their own say, when this is root's.
void Sweep::leave_to_others(policy::Plan& plan, const scanner::Facts& facts) {
    std::erase_if(plan.steps, [&](const Judgement& step) {
        const scanner::ProcessRow* row = policy::find_row(facts, step.identity.pid);
        if (row == nullptr || row->uid == ::geteuid()) return false;
        std::string in_the_way = locks_.hold(row->uid);
        if (in_the_way.empty()) return false;
        outcomes_[row->pid] = not_done(row->pid, OutcomeResult::refused, std::move(in_the_way));
        return true;
    });
}

void Sweep::refuse(const std::vector<Judgement>& steps, const std::string& why,
                   std::string remark) {
    for (const Judgement& step : steps) {
        outcomes_[step.identity.pid] = not_done(step.identity.pid, OutcomeResult::refused, why);
    }
    if (!remark.empty()) remarks_.push_back(std::move(remark));
}

Report Sweep::conclude_with(const Judged& judged) const {
    Report report = report_of(judged, options_, setup_);
    report.command = "sweep";
    report.from = options_.from;
    report.dry_run = options_.dry_run;
    report.interrupted = interrupt_.came();
    for (ReportedProcess& process : report.processes) {
        const auto found = outcomes_.find(process.judgement.identity.pid);
        if (found != outcomes_.end()) process.outcome = found->second;
    }
    std::ranges::copy(remarks_, std::back_inserter(report.remarks));
    if (!locks_.complaint().empty()) report.remarks.push_back(locks_.complaint());
    if (!history_.complaint().empty()) report.remarks.push_back(history_.complaint());
    return report;
}

}  // namespace reaper::agent
