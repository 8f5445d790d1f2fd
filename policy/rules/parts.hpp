// Reads the parts of families and protect entries out of a rule file, and checks each one. On a
// mistake they complain to `value`, and the target is not used.
#pragma once

#include <map>
#include <vector>

#include "policy/rules/rules.hpp"
#include "policy/rules/value.hpp"

namespace reaper::policy {

void read(const RuleValue& value, HomeSource& target);
void read(const RuleValue& value, Role& target);
void read(const RuleValue& value, Program& target);
void read(const RuleValue& value, OwnerSource& target);
void read(const RuleValue& value,
          // Accepts only verdicts that keep a process for good.
          std::optional<Verdict>& target);
void read(const RuleValue& value, Action& target);
void read(const RuleValue& value, AtUpdate& target);
void read(const RuleValue& value,
          // Changes the verdicts that are named, keeps the others.
          std::map<Verdict, Action>& target);
void read(const RuleValue& value, ProtectRule& target);

// Reads the proofs. A mistake: there is none, or one that proves nothing.
void read_proofs(const RuleValue& value, std::vector<Proof>& target);

}  // namespace reaper::policy
