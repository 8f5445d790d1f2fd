#include <algorithm>

#include "agent/commands/commands.hpp"
#include "agent/commands/platform.hpp"
#include "agent/report/rules_view.hpp"

namespace reaper::agent {

namespace {

using Origins = std::map<std::string, RuleOrigin>;

void note(const std::vector<policy::RuleChange>& changes, const std::string& origin,
          Origins& origins) {
    for (const policy::RuleChange& change : changes) {
        if (change.family.empty()) continue;
        if (change.setting.empty())
            origins[change.family].from = origin;
        else
            origins[change.family].settings[change.setting] = origin;
    }
}

// The sources are combined again, one by one: comparing before and after tells which file made a
// difference.
Origins find_origins(const Setup& setup) {
    Origins origins;
    policy::Rules rules;
    note(rule_changes(rules, policy::built_in_rules()), "built-in", origins);
    rules = policy::built_in_rules();
    for (const RuleSource& source : setup.rule_sources) {
        auto laid = policy::overlay_rules(rules, source.text, source.path);
        if (!laid) continue;  // prepare() has laid the same text
        note(rule_changes(rules, *laid), source.path, origins);
        rules = std::move(*laid);
    }
    note(rule_changes(rules, setup.rules), "the command line", origins);
    return origins;
}

Result<std::string> show(const SweepOptions& options, const Setup& setup,
                         const RenderOptions& render) {
    RulesView view;
    view.version = REAPER_VERSION;
    view.rules = setup.rules;
    view.folders = usual_rule_places({}).folders;
    for (const RuleSource& source : setup.rule_sources) view.files.push_back(source.path);
    view.origins = find_origins(setup);
    switch (options.format) {
        case Format::json: return render_rules_json(view);
        case Format::jsonl: return render_rules_jsonl(view);
        default: return render_rules_text(view, render);
    }
}

Result<std::string> check(const SweepOptions& options, const Setup& setup,
                          const RenderOptions& render) {
    auto report = find_matching(options, setup);
    if (!report) return tl::unexpected(report.error());
    RulesCheck result{options.rule_file, setup.checked->in_effect, {}, std::move(*report)};
    auto others = setup.rule_sources;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(setup.checked->place));
    // A later file may well build on this one.
    if (const auto without = combine_rules(others); without) {
        result.changes = rule_changes(*without, combine_rules(setup.rule_sources).value());
    } else {
        result.report.remarks.push_back("without it there would be a mistake: " + without.error());
    }
    return options.format == Format::json ? render_check_json(result)
                                          : render_check_text(result, render);
}

}  // namespace

Result<std::string> run_rules(const SweepOptions& options, const Setup& setup,
                              const RenderOptions& render) {
    return options.rule_file.empty() ? show(options, setup, render) : check(options, setup, render);
}

}  // namespace reaper::agent
