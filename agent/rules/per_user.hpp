// What users protect in rule files of their own, for sweeps by another user.
#pragma once

#include <string>

#include "policy/rules/rules.hpp"
#include "scanner/model/record.hpp"

namespace reaper::agent {

// Adds the protect entries of the rule files that `user` has below `home`, for that user's
// processes only; the rest of those files counts for nothing. When the files are not to be trusted,
// cannot be read or have a mistake, `rules` say so (Rules::users_with_unreadable_rules).
void add_rules_of_user(policy::Rules& rules, scanner::Uid user, const std::string& home);

// Returns `rules` with what all users of candidates protect, except the user of this process:
// `rules` have those entries already.
[[nodiscard]] policy::Rules with_rules_of_users(policy::Rules rules, const scanner::Facts& facts);

// Returns what `rules` know of other users, so that facts can be judged alike without those users'
// files.
[[nodiscard]] scanner::Background background_of(const policy::Rules& rules);

// Returns `rules` with what background_of() took from others.
[[nodiscard]] policy::Rules with_background(policy::Rules rules,
                                            const scanner::Background& background);

}  // namespace reaper::agent
