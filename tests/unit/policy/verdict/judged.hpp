// What judge() says of invented facts, in the words of the tests.
#pragma once

#include <string>
#include <vector>

#include "policy/verdict/judge.hpp"
#include "policy/verdict/plan.hpp"
#include "tests/support/facts_builder.hpp"

namespace reaper::test {

// The judgement of one pid. A pid that was not judged gives one with an empty family.
[[nodiscard]] policy::Judgement judged(const FactsBuilder& builder, scanner::Pid pid,
                                       const policy::Settings& settings = {});

// The same by other rules than the built-in ones.
[[nodiscard]] policy::Judgement judged_by(const policy::Rules& rules, const FactsBuilder& builder,
                                          scanner::Pid pid, const policy::Settings& settings = {});

// The built-in rules with every family and pack switched on.
[[nodiscard]] const policy::Rules& all_rules();

// The built-in rules with one change to the family of bridges.
template <class Change>
[[nodiscard]] policy::Rules with_bridge_rule(const Change& change) {
    policy::Rules rules = policy::built_in_rules();
    for (policy::FamilyRule& rule : rules.families) {
        if (rule.name == "bridge") change(rule);
    }
    return rules;
}

[[nodiscard]] bool is_orphan(const policy::Judgement& judgement);  // and will be reaped
[[nodiscard]] bool has_code(const policy::Judgement& judgement, const std::string& code);
[[nodiscard]] std::vector<std::string> vetoes_of(const policy::Judgement& judgement);

// The pids that are in the plan.
[[nodiscard]] std::vector<scanner::Pid> planned(const FactsBuilder& builder,
                                                const policy::Settings& settings = {});

// Settings that also reap what the default only reports.
[[nodiscard]] policy::Settings also(std::set<policy::Verdict> verdicts);

}  // namespace reaper::test
