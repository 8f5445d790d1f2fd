#include "tests/unit/policy/verdict/judged.hpp"

#include <algorithm>

namespace reaper::test {

using policy::Judgement;
using policy::Settings;
using scanner::Pid;

Judgement judged(const FactsBuilder& builder, Pid pid, const Settings& settings) {
    return judged_by(policy::built_in_rules(), builder, pid, settings);
}

Judgement judged_by(const policy::Rules& rules, const FactsBuilder& builder, Pid pid,
                    const Settings& settings) {
    const auto all = policy::judge(builder.facts(), rules, settings, builder.facts().keepalives);
    const auto found = std::find_if(
        all.begin(), all.end(), [pid](const Judgement& one) { return one.identity.pid == pid; });
    return found == all.end() ? Judgement{} : *found;
}

const policy::Rules& all_rules() {
    static const policy::Rules kRules = [] {
        policy::Rules rules = policy::built_in_rules();
        for (policy::FamilyRule& rule : rules.families) rule.enabled = true;
        return rules;
    }();
    return kRules;
}

bool is_orphan(const Judgement& judgement) {
    return judgement.verdict == policy::Verdict::orphan &&
           judgement.action == policy::Action::reap && vetoes_of(judgement).empty();
}

bool has_code(const Judgement& judgement, const std::string& code) {
    return std::any_of(judgement.evidence.begin(), judgement.evidence.end(),
                       [&](const policy::Evidence& piece) { return piece.code == code; });
}

std::vector<std::string> vetoes_of(const Judgement& judgement) {
    std::vector<std::string> codes;
    for (const policy::Evidence& piece : judgement.evidence) {
        if (piece.weight == policy::Weight::veto) codes.push_back(piece.code);
    }
    return codes;
}

std::vector<Pid> planned(const FactsBuilder& builder, const Settings& settings) {
    const auto plan = policy::make_plan(policy::judge(builder.facts(), policy::built_in_rules(),
                                                      settings, builder.facts().keepalives),
                                        256);
    std::vector<Pid> pids;
    for (const Judgement& step : plan.steps) pids.push_back(step.identity.pid);
    return pids;
}

Settings also(std::set<policy::Verdict> verdicts) {
    Settings settings;
    settings.also_reap = std::move(verdicts);
    return settings;
}

}  // namespace reaper::test
