// Finds the host of a helper behind wrappers, which come and go with the helper, so they do not
// start it again.
#pragma once

#include "policy/match/member.hpp"
#include "scanner/model/facts.hpp"

namespace reaper::policy {

// True if the argv of `wrapper` shows that it only runs `child`, once: a program that does nothing
// else (timeout, sudo), or a shell whose command names the child and has no loop. Anything else may
// start it again.
[[nodiscard]] bool is_wrapper_of(const scanner::ProcessRow& wrapper,
                                 const scanner::ProcessRow& child);

// True if a wrapper does nothing but run `child`, and ends with it: a program as above, or a shell
// whose whole text is one command that begins with the child's program or script. What such a
// wrapper would go on with, nothing knows of.
[[nodiscard]] bool only_runs(const scanner::ProcessRow& wrapper, const scanner::ProcessRow& child);

// Returns host_of(), or the host of that if the facts say that it is a wrapper; never an adopter. A
// member, or a host by the rules, is no wrapper. Only for what follows from an end; verdicts use
// the host itself.
[[nodiscard]] scanner::Pid host_behind_wrappers(const Member& member, const scanner::Facts& facts);

}  // namespace reaper::policy
