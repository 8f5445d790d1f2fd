// What users protect in rule files of their own, for when somebody else sweeps.
#pragma once

#include <string>

#include "policy/rules.hpp"
#include "scanner/facts.hpp"

namespace reaper::agent {

// Adds the protect entries of the rule files that `user` has below `home`, for his processes only; whatever else they say counts for
// nobody else. Where they are not to be trusted, cannot be read or have a mistake, `rules` say that instead (Rules::untold).
void add_rules_of_user(policy::Rules& rules, scanner::Uid user, const std::string& home);

// `rules`, and what all users of candidates protect. Not the one who runs this: `rules` hold all of his already.
[[nodiscard]] policy::Rules with_rules_of_users(policy::Rules rules, const scanner::Facts& facts);

// Puts into `facts` what `rules` know of other users, so that they can be judged alike without those users' files.
void tell_rules_of_users(scanner::Facts& facts, const policy::Rules& rules);

// `rules`, and what `facts` were told.
[[nodiscard]] policy::Rules with_told_rules(policy::Rules rules, const scanner::Facts& facts);

}  // namespace reaper::agent
