// All that --from-facts does with facts once they were read: judge, plan, and write every form of
// report.
#pragma once

#include <algorithm>
#include <string>

#include "agent/commands/commands.hpp"
#include "agent/redaction/facts.hpp"
#include "policy/verdict/plan.hpp"
#include "scanner/json/facts_json.hpp"

namespace reaper::test {

inline std::string judge_and_report(const scanner::Record& facts, const policy::Rules& rules) {
    agent::Setup setup;
    setup.rules = rules;
    agent::Report report = agent::replay(facts, {}, {}, setup);
    agent::conclude(report);
    std::string text =
        agent::render_text(report, {}) + agent::render_json(report) + agent::render_jsonl(report);
    text += agent::render_html(report) + agent::render_prometheus(report) +
            agent::render_pid_files(report, {});
    agent::SweepOptions options;
    options.command = agent::Command::explain;
    agent::ExplainOptions explain;
    for (const scanner::ProcessFacts& process : facts.candidates)
        explain.pids.push_back(process.row.pid);
    text += agent::render_explanation(agent::replay(facts, options, explain, setup), {});
    return text + scanner::facts_to_json({agent::redact(facts, rules), facts});
}

// Nothing is planned to end whose identity and row are not of one process.
inline bool is_plan_sound(const scanner::Record& facts, const policy::Rules& rules) {
    const policy::Plan plan =
        policy::make_plan(policy::judge(facts, rules, {}, facts.keepalives), 256);
    return std::ranges::all_of(plan.steps, [&](const policy::Judgement& step) {
        return std::ranges::any_of(facts.candidates, [&](const scanner::ProcessFacts& process) {
            return process.identity == step.identity && process.row.pid == step.identity.pid &&
                   process.row.start_ticks == step.identity.start_ticks;
        });
    });
}

}  // namespace reaper::test
