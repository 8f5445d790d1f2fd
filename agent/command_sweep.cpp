#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "agent/commands.hpp"
#include "agent/history_file.hpp"
#include "agent/history_writer.hpp"
#include "agent/interrupt.hpp"
#include "agent/live_line.hpp"
#include "agent/reaper.hpp"
#include "agent/respawn.hpp"
#include "agent/rule_sources.hpp"
#include "agent/sweep_lock.hpp"
#include "agent/verifier.hpp"
#include "policy/parentage.hpp"

namespace reaper::agent {

namespace {

using policy::Judgement;
using scanner::Pid;

// Of everybody who was to end, by pid.
using Outcomes = std::map<Pid, Outcome>;

Outcome not_done(Pid pid, OutcomeResult result, std::string why) {
    Outcome outcome;
    outcome.pid = pid;
    outcome.result = result;
    outcome.detail = std::move(why);
    return outcome;
}

bool exits_by(const scanner::PidHandle& handle, std::chrono::steady_clock::time_point moment) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(moment - std::chrono::steady_clock::now());
    return handle.exits_within(std::max(left, std::chrono::milliseconds(0)));
}

// Steps that the second look still says are right, with the handles of the first one; of the others, what became of them.
std::vector<Target> settled_targets(const policy::Plan& plan, Look& first, const Judged& second, Outcomes& outcomes) {
    std::vector<Target> targets;
    const auto last_moment = std::chrono::steady_clock::now() + ReaperTimes{}.exiting;
    for (const Judgement& step : plan.steps) {
        const Pid pid = step.identity.pid;
        auto handle = first.handles.find(pid);
        if (handle->second.exited()) {
            outcomes[pid] = not_done(pid, OutcomeResult::already_gone, "it ended by itself");
        } else if (auto objection = difference(step, second.judgements)) {
            // Another sweep, say, may be ending it this moment.
            outcomes[pid] = exits_by(handle->second, last_moment)
                                ? not_done(pid, OutcomeResult::already_gone, "it ended by itself")
                                : not_done(pid, OutcomeResult::changed, std::move(*objection));
        } else {
            // As the second look has it: the other half of a unit may have ended meanwhile.
            targets.push_back({*find_judgement(second, pid), std::move(handle->second), *find_facts(second, pid)});
        }
    }
    return targets;
}

// Those of `pids` stay as the earlier look had them; everybody else is as the later one has it.
Judged keep_from(const Judged& earlier, Judged later, const std::set<Pid>& pids) {
    const auto keep = [&pids](const auto& from, auto& to, auto pid_of) {
        const auto is_kept = [&](const auto& one) { return pids.contains(pid_of(one)); };
        std::erase_if(to, is_kept);
        std::ranges::copy_if(from, std::back_inserter(to), is_kept);
        std::ranges::sort(to, {}, pid_of);
    };
    keep(earlier.look.facts.candidates, later.look.facts.candidates, [](const auto& facts) { return facts.row.pid; });
    keep(earlier.judgements, later.judgements, [](const auto& judgement) { return judgement.identity.pid; });
    return later;
}

// Who was to end and is no longer there.
std::set<Pid> missing_steps(const policy::Plan& plan, const std::vector<Judgement>& judgements) {
    std::set<Pid> pids;
    for (const Judgement& step : plan.steps) pids.insert(step.identity.pid);
    for (const Judgement& judgement : judgements) pids.erase(judgement.identity.pid);
    return pids;
}

// One sweep from its first look to its report.
class Sweep {
   public:
    Sweep(const scanner::Procfs& procfs, const Options& options, const Setup& setup)
        : procfs_(procfs), options_(options), setup_(setup), lookout_(procfs, setup.rules, setup.uid) {}

    Result<Report> run() {
        if (!options_.dry_run) in_the_way_ = locks_.hold_own(history_folder());
        auto seen = look_and_judge(lookout_, setup_);
        if (!seen) return tl::unexpected(seen.error());
        for (const Judgement& judgement : seen->judgements) known_.insert(judgement.identity.pid);
        if (auto done = end_leaks(*seen, kRounds); !done) return tl::unexpected(done.error());
        return conclude_with(*seen);
    }

   private:
    // What is ended may have been a host: then it leaves leaks of its own. A tree of hosts is not deeper than this.
    static constexpr int kRounds = 4;

    // Until init has cleared the dead away: a zombie still looks like an owner.
    static constexpr std::chrono::milliseconds kBurial{100};

    // Ends what `seen` says is leaked. Afterwards that is the last look, with whoever was to end as it was when that was decided.
    Result<void> end_leaks(Judged& seen, int rounds) {
        policy::Plan plan = plan_of_new_leaks(seen.judgements);
        if (!plan.refusal.empty()) return refuse(plan, "the plan was refused as a whole", plan.refusal);
        if (!plan.steps.empty() && !in_the_way_.empty()) return refuse(plan, in_the_way_, in_the_way_);
        if (!options_.dry_run) leave_to_others(plan, seen.look.facts);
        if (plan.steps.empty()) return {};
        if (interrupt_.wait(options_.settle)) return refuse(plan, "interrupted");
        auto second = look_and_judge(lookout_, setup_);
        if (!second) return tl::unexpected(second.error());
        std::set<Pid> earlier_rounds = tried();
        const auto targets = settled_targets(plan, seen.look, *second, outcomes_);
        end(targets, second->look);
        std::set<Pid> over = missing_steps(plan, second->judgements);
        over.merge(earlier_rounds);
        seen = keep_from(seen, std::move(*second), over);
        return options_.dry_run ? Result<void>{} : look_after(seen, rounds - 1);
    }

    // Who came back, and who has lost its host just now.
    Result<void> look_after(Judged& seen, int rounds) {
        const bool interrupted = interrupt_.wait(kBurial);
        auto after = look_and_judge(lookout_, setup_);
        if (!after) return {};  // a look that fails says nothing about either
        note_respawns(seen, *after);
        seen = keep_from(seen, std::move(*after), tried());
        return rounds == 0 || interrupted ? Result<void>{} : end_leaks(seen, rounds);
    }

    void note_respawns(const Judged& before, const Judged& after) {
        const Outcomes earlier = outcomes_;
        find_respawns(before, after, outcomes_);
        for (const auto& [pid, outcome] : outcomes_) {
            if (!outcome.respawned_as || earlier.at(pid).respawned_as) continue;
            history_.respawned(*find_judgement(before, pid), *find_facts(after, *outcome.respawned_as),
                               after.look.facts.relatives);
        }
    }

    [[nodiscard]] std::set<Pid> tried() const {
        std::set<Pid> pids;
        for (const auto& [pid, outcome] : outcomes_) pids.insert(pid);
        return pids;
    }

    // Nobody is tried twice, and nobody who came meanwhile: that may be a host which starts again what was ended.
    [[nodiscard]] policy::Plan plan_of_new_leaks(std::vector<Judgement> judgements) const {
        std::erase_if(judgements, [&](const Judgement& one) {
            return outcomes_.contains(one.identity.pid) || !known_.contains(one.identity.pid);
        });
        return policy::make_plan(judgements, options_.max_kills - std::min(options_.max_kills, outcomes_.size()));
    }

    void end(const std::vector<Target>& targets, Look& look) {
        FreshVerifier verifier(lookout_, setup_, look);
        LiveLine line(terminal_to_draw_on(options_.quiet));
        const auto control = options_.dry_run ? make_dry_run_control() : make_process_control();
        const ReaperParts parts{
            *control,
            verifier,
            history_,
            line,
            [this](const scanner::PidHandle& handle) { return scanner::read_activity(procfs_, handle); },
            interrupt_.raw()};
        for (Outcome& outcome : reap(targets, parts)) outcomes_[outcome.pid] = std::move(outcome);
        line.erase();
    }

    // Users whose processes another sweep is ending, their own say, when this is root's.
    void leave_to_others(policy::Plan& plan, const scanner::Facts& facts) {
        std::erase_if(plan.steps, [&](const Judgement& step) {
            const scanner::ProcessRow* row = policy::find_row(facts, step.identity.pid);
            if (row == nullptr || row->uid == ::geteuid()) return false;
            const auto home = recorded_home(row->uid);
            std::string in_the_way = home ? locks_.hold_of(row->uid, *home) : std::string();
            if (in_the_way.empty()) return false;
            outcomes_[row->pid] = not_done(row->pid, OutcomeResult::refused, std::move(in_the_way));
            return true;
        });
    }

    Result<void> refuse(const policy::Plan& plan, const std::string& why, std::string remark = {}) {
        for (const Judgement& step : plan.steps) {
            outcomes_[step.identity.pid] = not_done(step.identity.pid, OutcomeResult::refused, why);
        }
        if (!remark.empty()) remarks_.push_back(std::move(remark));
        return {};
    }

    Report conclude_with(const Judged& judged) const {
        Report report = report_of(judged, options_, setup_);
        report.command = "sweep";
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

    // While a live line is drawn, the decisions are not written where it stands.
    [[nodiscard]] HistoryVoice voice() const {
        const bool watched = ::isatty(STDERR_FILENO) == 1 && !options_.verbose;
        return {STDERR_FILENO, !watched && !options_.quiet};
    }

    const scanner::Procfs& procfs_;
    const Options& options_;
    const Setup& setup_;
    Lookout lookout_;
    Interrupt interrupt_;
    SweepLocks locks_{interrupt_, options_.lock_wait, terminal_to_draw_on(options_.quiet)};
    std::string in_the_way_;  // not empty: another sweep, and nothing is to be ended
    HistoryWriter history_{options_.no_history || options_.dry_run ? HistoryUse::none : HistoryUse::keep,
                           history_folder(), voice()};
    std::set<Pid> known_;  // to the first look
    Outcomes outcomes_;
    std::vector<std::string> remarks_;
};

}  // namespace

Result<Report> run_sweep(const scanner::Procfs& procfs, const Options& options, const Setup& setup) {
    return Sweep(procfs, options, setup).run();
}

}  // namespace reaper::agent
