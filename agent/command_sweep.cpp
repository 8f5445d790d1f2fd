#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "agent/commands.hpp"
#include "agent/history.hpp"
#include "agent/interrupt.hpp"
#include "agent/live_line.hpp"
#include "agent/reaper.hpp"
#include "agent/respawn.hpp"
#include "agent/verifier.hpp"

namespace reaper::agent {

namespace {

using policy::Judgement;
using scanner::Pid;

// Outcomes of the steps of one plan, by pid.
using Outcomes = std::map<Pid, Outcome>;

Outcome not_done(Pid pid, OutcomeResult result, std::string why) {
    Outcome outcome;
    outcome.pid = pid;
    outcome.result = result;
    outcome.detail = std::move(why);
    return outcome;
}

Outcomes refused_steps(const policy::Plan& plan, const std::string& why) {
    Outcomes outcomes;
    for (const Judgement& step : plan.steps) {
        const Pid pid = step.identity.pid;
        outcomes[pid] = not_done(pid, OutcomeResult::refused, why);
    }
    return outcomes;
}

// Steps that the second look still says are right, with the handles of the first one; of the others, what became of them.
std::vector<Target> settled_targets(const policy::Plan& plan, Look& first, const std::vector<Judgement>& second,
                                    Outcomes& outcomes) {
    std::vector<Target> targets;
    for (const Judgement& step : plan.steps) {
        const Pid pid = step.identity.pid;
        auto handle = first.handles.find(pid);
        if (handle->second.exited()) {
            outcomes[pid] = not_done(pid, OutcomeResult::already_gone, "it ended by itself");
        } else if (auto objection = difference(step, second)) {
            outcomes[pid] = not_done(pid, OutcomeResult::changed, std::move(*objection));
        } else {
            // As the second look has it: the other half of a unit may have ended meanwhile.
            const auto fresh = std::find_if(second.begin(), second.end(), [pid](const Judgement& judgement) {
                return judgement.identity.pid == pid;
            });
            targets.push_back({*fresh, std::move(handle->second)});
        }
    }
    return targets;
}

// The judgements of the second look, and those of the first that are not there any more.
Judged both_looks(const Judged& first, Judged second) {
    for (const Judgement& judgement : first.judgements) {
        const Pid pid = judgement.identity.pid;
        const bool still_there = std::any_of(second.judgements.begin(), second.judgements.end(),
                                             [pid](const Judgement& other) { return other.identity.pid == pid; });
        if (still_there || judgement.action != policy::Action::reap) continue;
        for (const scanner::ProcessFacts& facts : first.look.facts.candidates) {
            if (facts.row.pid == pid) second.look.facts.candidates.push_back(facts);
        }
        second.judgements.push_back(judgement);
    }
    std::sort(second.judgements.begin(), second.judgements.end(),
              [](const Judgement& left, const Judgement& right) { return left.identity.pid < right.identity.pid; });
    return second;
}

// One sweep from its first look to its report.
class Sweep {
   public:
    Sweep(const scanner::Procfs& procfs, const Options& options, const Setup& setup)
        : procfs_(procfs), options_(options), setup_(setup), lookout_(procfs, setup.rules, setup.uid) {}

    Result<Report> run() {
        auto first = look_and_judge(lookout_, setup_);
        if (!first) return tl::unexpected(first.error());
        const policy::Plan plan = policy::make_plan(first->judgements, options_.max_kills);
        if (!plan.refusal.empty()) return refuse(*first, plan);
        if (plan.steps.empty()) return conclude_with(*first, {});
        if (interrupt_.wait(options_.settle)) return give_up(*first, plan);
        auto second = look_and_judge(lookout_, setup_);
        if (!second) return tl::unexpected(second.error());
        return carry_out(plan, std::move(*first), std::move(*second));
    }

   private:
    Report carry_out(const policy::Plan& plan, Judged first, Judged second) {
        Outcomes outcomes;
        const auto targets = settled_targets(plan, first.look, second.judgements, outcomes);
        FreshVerifier verifier(lookout_, setup_, second.look);
        const bool watched = ::isatty(STDERR_FILENO) == 1 && !options_.verbose;
        History history(options_.no_history || options_.dry_run ? HistoryUse::none : HistoryUse::keep, history_folder(),
                        {STDERR_FILENO, !watched && !options_.quiet});
        LiveLine line(terminal_to_draw_on(options_.quiet));
        const auto control = options_.dry_run ? make_dry_run_control() : make_process_control();
        const ReaperParts parts{
            *control,
            verifier,
            history,
            line,
            [this](const scanner::PidHandle& handle) { return scanner::read_activity(procfs_, handle); },
            interrupt_.raw()};
        for (Outcome& outcome : reap(targets, parts)) outcomes[outcome.pid] = std::move(outcome);
        line.erase();
        Judged judged = both_looks(first, std::move(second));
        if (!options_.dry_run) find_respawns(lookout_, setup_, judged, outcomes);
        Report report = conclude_with(judged, outcomes);
        if (!history.complaint().empty()) report.remarks.push_back(history.complaint());
        report.interrupted = interrupt_.came();
        return report;
    }

    Report refuse(const Judged& judged, const policy::Plan& plan) {
        Report report = conclude_with(judged, refused_steps(plan, "the plan was refused as a whole"));
        report.remarks.push_back(plan.refusal);
        return report;
    }

    Report give_up(const Judged& judged, const policy::Plan& plan) {
        Report report = conclude_with(judged, refused_steps(plan, "interrupted"));
        report.interrupted = true;
        return report;
    }

    Report conclude_with(const Judged& judged, const Outcomes& outcomes) const {
        Report report = report_of(judged, options_, setup_);
        report.command = "sweep";
        report.dry_run = options_.dry_run;
        for (ReportedProcess& process : report.processes) {
            const auto found = outcomes.find(process.judgement.identity.pid);
            if (found != outcomes.end()) process.outcome = found->second;
        }
        return report;
    }

    const scanner::Procfs& procfs_;
    const Options& options_;
    const Setup& setup_;
    Lookout lookout_;
    Interrupt interrupt_;
};

}  // namespace

Result<Report> run_sweep(const scanner::Procfs& procfs, const Options& options, const Setup& setup) {
    return Sweep(procfs, options, setup).run();
}

}  // namespace reaper::agent
