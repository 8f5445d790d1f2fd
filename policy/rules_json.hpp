// The rules as a rule file says them: read again over any rules that have the same families, they come out the same.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "policy/rules.hpp"

namespace reaper::policy {

// What "families" and "protect" are in a rule file. Origins are not part of them. Bytes that are no UTF-8 never get into
// rules, so this can be dumped as it is.
[[nodiscard]] nlohmann::ordered_json to_json(const FamilyRule& rule);
[[nodiscard]] nlohmann::ordered_json to_json(const ProtectRule& rule);
[[nodiscard]] nlohmann::ordered_json families_json(const Rules& rules);
[[nodiscard]] nlohmann::ordered_json protect_json(const Rules& rules);

// One setting that is not what it was.
struct RuleChange {
    std::string family;   // empty: of the protect entries
    std::string setting;  // as a rule file spells it: "grace", "actions.orphan"; empty: the whole family is new
    std::string was;      // JSON; empty: nothing
    std::string is;

    bool operator==(const RuleChange&) const = default;
};

// What was laid over `before` to make `after`. Who said so last is no difference.
[[nodiscard]] std::vector<RuleChange> rule_changes(const Rules& before, const Rules& after);

}  // namespace reaper::policy
