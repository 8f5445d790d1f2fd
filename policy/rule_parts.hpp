// The parts of a family and of a protect entry, read out of a rule file and checked where they stand.
#pragma once

#include <map>
#include <vector>

#include "policy/rule_value.hpp"
#include "policy/rules.hpp"

namespace reaper::policy {

void read(const RuleValue& value, HomeSource& target);
void read(const RuleValue& value, Role& target);
void read(const RuleValue& value, Program& target);
void read(const RuleValue& value, OwnerSource& target);
void read(const RuleValue& value, std::optional<Verdict>& target);  // one of those that keep a process for good
void read(const RuleValue& value, Action& target);
void read(const RuleValue& value, AtUpdate& target);
void read(const RuleValue& value, std::map<Verdict, Action>& target);  // changes those that are named
void read(const RuleValue& value, ProtectRule& target);

// Every proof has to prove something, and there has to be one.
void read_proofs(const RuleValue& value, std::vector<Proof>& target);

}  // namespace reaper::policy
