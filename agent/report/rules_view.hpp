// The rules for people and scripts: what is in effect and where it comes from, and what one file
// would change. Every renderer returns printable ASCII (and newlines).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "agent/report/report.hpp"
#include "policy/rules/json.hpp"
#include "policy/rules/rules.hpp"

namespace reaper::agent {

struct RuleOrigin {
    std::string from;  // "built-in", or the file that describes the family
    std::map<std::string, std::string> settings =
        {};  // setting -> the file that changed it last; only what was changed
};

struct RulesView {
    std::string version;
    policy::Rules rules;
    std::vector<std::string> folders;  // that were looked into
    std::vector<std::string> files;    // that were laid over the built-in rules, in this order
    std::map<std::string, RuleOrigin> origins;  // by family
};

[[nodiscard]] std::string render_rules_text(const RulesView& view, const RenderOptions& options);
// "families" and "protect" are together a rule file that says the same.
[[nodiscard]] std::string render_rules_json(const RulesView& view);
// One line a family, then one a protect entry.
[[nodiscard]] std::string render_rules_jsonl(const RulesView& view);

struct RulesCheck {
    std::string file;
    bool in_effect = false;  // it is among the files that every command reads
    std::vector<policy::RuleChange> changes;
    Report report;  // with it
};

[[nodiscard]] std::string render_check_text(const RulesCheck& check, const RenderOptions& options);
[[nodiscard]] std::string render_check_json(const RulesCheck& check);

}  // namespace reaper::agent
