#include "policy/verdict/descendant_vetoes.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "policy/verdict/protection.hpp"
#include "policy/verdict/runner.hpp"
#include "scanner/exited.hpp"

namespace reaper::policy {

namespace {

using scanner::Pid;
using scanner::ProcessFacts;
using Reason = std::optional<std::string>;

bool is_younger(const ProcessFacts& process, const FamilyRule& rule, const VetoInput& input) {
    return age_of(process.row, input.facts.machine) <
           input.settings.min_age.value_or(rule.start_up);
}

bool is_leaked(Verdict verdict) {
    return is_ended_by_default(verdict) || verdict == Verdict::held;
}

// Returns why a member must stay. A live host alone is no reason here: what is left when that host
// ends is judged then.
Reason why_member_stays(const Member& member, const Judgement& judgement, const VetoInput& input) {
    if (scanner::has_exited(member.facts->row) || judgement.action == Action::reap)
        return std::nullopt;
    for (const Evidence& piece : judgement.evidence) {
        if (piece.weight == Weight::veto && piece.code != "veto.live_host") return piece.detail;
    }
    if (is_younger(*member.facts, member.rule(), input)) return "it may only be starting";
    if (leads_terminal(member.facts->row)) return "it leads the session of a terminal";
    return is_leaked(judgement.verdict) ? Reason("it is not to be ended") : std::nullopt;
}

// An agent, say: its rules never end it, so what runs it for a user must not take it along.
bool is_only_reported(const Member& member) {
    if (scanner::has_exited(member.facts->row)) return false;
    const auto action = member.rule().actions.find(Verdict::orphan);
    const bool ends = action != member.rule().actions.end() && action->second == Action::reap;
    return !ends || is_never_ended(member);
}

bool could_not_be_read(const ProcessFacts& process) {
    return !process.uids.ok() || !process.tracer.ok() || !process.listeners.ok() ||
           !process.same_pid_namespace.ok() || !process.same_root.ok();
}

Reason why_service_stays(const ProcessFacts& process) {
    const auto& unit = process.unit;
    const Pid pid = process.row.pid;
    const bool main = unit.ok() && (unit.value.main_pid == pid || unit.value.control_pid == pid);
    if (main || variable(process, "SYSTEMD_EXEC_PID") == std::to_string(pid))
        return "it is the main process of a service";
    const bool untold = unit.ok() && unit.value.asked && !unit.value.main_pid &&
                        unit.value.name.ends_with(".service");
    return untold ? Reason("it may be the main process of a service") : std::nullopt;
}

bool has_other_users(const ProcessFacts& process, const ProcessFacts& above) {
    return process.uids.value != above.uids.value || process.row.uid != above.row.uid;
}

Reason why_other_stays(const ProcessFacts& process, const VetoInput& input) {
    if (scanner::has_exited(process.row)) return std::nullopt;
    if (could_not_be_read(process)) return "it could not be looked at";
    if (!process.listeners.value.empty()) return "it listens";
    if (process.tracer.value != 0) return tracer_text(process.tracer.value);
    if (!process.same_pid_namespace.value) return "it lives in another pid namespace";
    if (!process.same_root.value) return "its root directory is another one";
    if (leads_terminal(process.row)) return "it leads the session of a terminal";
    if (Reason why = why_service_stays(process)) return why;
    const ProtectRule* rule = find_protection(process, {}, input);
    return rule == nullptr ? std::nullopt
                           : Reason(fmt::format("a rule of {} protects it", rule->origin));
}

class DescendantHolds {
   public:
    DescendantHolds(const std::vector<Member>& members, const VetoInput& input,
                    std::vector<Judgement>& judgements)
        : members_(members), input_(input), judgements_(judgements) {}

    // Repeats until nothing changes, as a held process holds others in turn.
    void hold() {
        find_parents();
        find_below_steps();
        for (std::size_t at = 0; at < members_.size(); ++at) hold_terminal(at);
        for (const ProcessFacts& process : input_.facts.descendants) hold_runners(process);
        for (const ProcessFacts& process : input_.facts.candidates) {
            if (!place_of(process.row.pid) && is_below_step(process.row.pid)) hold_runners(process);
        }
        for (const Pid pid : input_.facts.unseen_below) hold_unseen(pid);
        while (hold_members()) continue;
    }

   private:
    // Candidates, descendants and members are all sorted by pid.
    [[nodiscard]] static const ProcessFacts* find(const std::vector<ProcessFacts>& all, Pid pid) {
        const auto found = std::ranges::lower_bound(
            all, pid, {}, [](const ProcessFacts& one) { return one.row.pid; });
        return found != all.end() && found->row.pid == pid ? &*found : nullptr;
    }

    [[nodiscard]] std::optional<std::size_t> place_of(Pid pid) const {
        const auto found = std::ranges::lower_bound(
            members_, pid, {}, [](const Member& one) { return one.facts->row.pid; });
        if (found == members_.end() || found->facts->row.pid != pid) return std::nullopt;
        return static_cast<std::size_t>(found - members_.begin());
    }

    void find_parents() {
        for (const auto* all : {&input_.facts.candidates, &input_.facts.descendants}) {
            for (const ProcessFacts& one : *all) parents_.try_emplace(one.row.pid, one.row.ppid);
        }
    }

    // Collects the processes below those that are to be ended; no other process holds anything.
    // Going up from each process would cost the square of what a user may start.
    void find_below_steps() {
        std::unordered_multimap<Pid, Pid> children;
        for (const auto& [pid, parent] : parents_) children.emplace(parent, pid);
        std::vector<Pid> above;
        for (const Judgement& judgement : judgements_) {
            if (judgement.action == Action::reap) above.push_back(judgement.identity.pid);
        }
        while (!above.empty()) {
            const auto [begin, end] = children.equal_range(above.back());
            above.pop_back();
            for (auto child = begin; child != end; ++child) {
                if (below_steps_.insert(child->second).second) above.push_back(child->second);
            }
        }
    }

    [[nodiscard]] bool is_below_step(Pid pid) const { return below_steps_.contains(pid); }

    // Contradictory facts can close a ring, which is passed once.
    [[nodiscard]] std::vector<Pid> above(Pid pid) const {
        std::vector<Pid> line;
        for (auto one = parents_.find(pid);
             one != parents_.end() && line.size() <= parents_.size();) {
            line.push_back(one->second);
            one = parents_.find(one->second);
        }
        return line;
    }

    [[nodiscard]] static bool runs_others(const Member& member) {
        return member.match.invocation.launcher || is_runner(member.facts->row);
    }

    bool hold_one(std::size_t at, const char* code, std::string why) {
        Judgement& judgement = judgements_[at];
        if (judgement.action != Action::reap) return false;
        judgement.evidence.push_back({code, Weight::veto, std::move(why)});
        judgement.action = Action::report;
        return true;
    }

    bool hold_for(std::size_t at, Pid below, const std::string& why) {
        return hold_one(at, "veto.descendant",
                        fmt::format("pid {} below it stays: {}", below, why));
    }

    void hold_terminal(std::size_t at) {
        if (leads_terminal(members_[at].facts->row))
            hold_one(at, "veto.leads_terminal",
                     "the session of a terminal that it leads would be hung up");
    }

    bool hold_members() {
        bool held = false;
        for (std::size_t at = 0; at < members_.size(); ++at) {
            if (!is_below_step(members_[at].facts->row.pid)) continue;
            Reason why = why_member_stays(members_[at], judgements_[at], input_);
            if (!why && has_host_elsewhere(judgements_[at])) why = "its host is alive";
            if (why && hold_above(members_[at], *why)) held = true;
            if (is_only_reported(members_[at]) && hold_what_runs(members_[at])) held = true;
        }
        return held;
    }

    // True if its host is not one of its ancestors, as with `run` between the two.
    [[nodiscard]] bool has_host_elsewhere(const Judgement& judgement) const {
        if (judgement.verdict != Verdict::attached || judgement.host <= 0) return false;
        const auto line = above(judgement.identity.pid);
        return std::ranges::find(line, judgement.host) == line.end();
    }

    bool hold_above(const Member& member, const std::string& why) {
        bool held = false;
        for (const Pid pid : above(member.pid())) {
            const auto place = place_of(pid);
            if (!place) continue;
            const Member& one = members_[*place];
            const bool runs = runs_others(one);
            const bool left = member.match.role.outlives_host &&
                              member.facts->row.session != one.facts->row.session;
            if (left && !runs) break;
            if (member.launcher != pid) held = hold_for(*place, member.pid(), why) || held;
        }
        return held;
    }

    // Holds what counts as left over only for where it runs, and may pass a signal on. And what
    // runs an agent: an MCP server that lost its client waits for that to finish, and then ends.
    bool hold_what_runs(const Member& member) {
        bool held = false;
        for (const Pid pid : above(member.pid())) {
            const auto place = place_of(pid);
            if (!place) continue;
            const FamilyRule& rule = members_[*place].rule();
            const bool runs_agent = member.rule().keeps_runner && rule.pack == member.rule().pack;
            if (!rule.under.empty() || runs_agent)
                held = hold_for(*place, member.pid(),
                                fmt::format("{} is only reported", member.rule().name)) ||
                       held;
        }
        return held;
    }

    // Goes up to the first member that is no runner, whose child the process is: ending that does
    // not end the process. But the starter of a terminal session has the other side of the
    // terminal, and closing that hangs up the session.
    void hold_runners(const ProcessFacts& process) {
        const Reason why = why_other_stays(process, input_);
        bool direct = true;
        for (const Pid pid : above(process.row.pid)) {
            const auto place = place_of(pid);
            if (place) {
                if (!runs_others(members_[*place])) {
                    if (why && leads_terminal(process.row)) hold_for(*place, process.row.pid, *why);
                    return;
                }
                if (const Reason here = why ? why : why_below(process, members_[*place], direct))
                    hold_for(*place, process.row.pid, *here);
            }
            direct = direct && is_runner_at(pid);
        }
    }

    // Returns a reason that holds only this runner. What a runner has just started may be about to
    // listen.
    [[nodiscard]] Reason why_below(const ProcessFacts& process, const Member& runner,
                                   bool direct) const {
        if (scanner::has_exited(process.row)) return std::nullopt;
        if (has_other_users(process, *runner.facts))
            return fmt::format("it belongs to user id {}", process.row.uid);
        return direct && is_younger(process, runner.rule(), input_)
                   ? Reason("it may only be starting")
                   : std::nullopt;
    }

    [[nodiscard]] bool is_runner_at(Pid pid) const {
        if (const auto place = place_of(pid)) return runs_others(members_[*place]);
        const ProcessFacts* process = find(input_.facts.descendants, pid);
        return process != nullptr && is_runner(process->row);
    }

    void hold_unseen(Pid pid) {
        const auto place = place_of(pid);
        if (!place) return;
        if (hold_one(*place, "veto.unreadable.descendants",
                     "what it has started could not be looked at"))
            judgements_[*place].verdict = Verdict::unknown;
    }

    const std::vector<Member>& members_;
    const VetoInput& input_;
    std::vector<Judgement>& judgements_;
    std::unordered_map<Pid, Pid> parents_;
    std::unordered_set<Pid> below_steps_;
};

}  // namespace

bool leads_terminal(const scanner::ProcessRow& row) {
    return row.session == row.pid && row.tty != 0;
}

void hold_by_descendants(const std::vector<Member>& members, const VetoInput& input,
                         std::vector<Judgement>& judgements) {
    const auto is_step = [](const Judgement& judgement) {
        return judgement.action == Action::reap;
    };
    if (std::ranges::any_of(judgements, is_step))
        DescendantHolds(members, input, judgements).hold();
}

}  // namespace reaper::policy
