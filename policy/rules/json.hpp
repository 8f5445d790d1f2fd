// Writes rules as a rule file has them. Read again over rules with the same families, they come out
// the same.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "policy/rules/rules.hpp"

namespace reaper::policy {

// These return what "families" and "protect" are in a rule file, without origins. Rules never
// contain bytes that are no UTF-8, so the result can be dumped.
[[nodiscard]] nlohmann::ordered_json to_json(const FamilyRule& rule);
[[nodiscard]] nlohmann::ordered_json to_json(const ProtectRule& rule);
[[nodiscard]] nlohmann::ordered_json families_json(const Rules& rules);
[[nodiscard]] nlohmann::ordered_json protect_json(const Rules& rules);

// One setting that differs.
struct RuleChange {
    std::string family;  // empty: of the protect entries
    // As a rule file spells it: "grace", "actions.orphan"; empty: the whole family is new.
    std::string setting;
    std::string was;  // JSON; empty: nothing
    std::string is;

    bool operator==(const RuleChange&) const = default;
};

// Returns the settings that differ between the two. Origins are not compared.
[[nodiscard]] std::vector<RuleChange> rule_changes(const Rules& before, const Rules& after);

}  // namespace reaper::policy
