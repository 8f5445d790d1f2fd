// Who starts a helper again, where only a wrapper stands between the two? That one comes and goes with the helper.
#pragma once

#include "policy/member.hpp"
#include "scanner/facts.hpp"

namespace reaper::policy {

// By its words, it runs that child of its, once: a program that does nothing else, or a shell whose command names the child and has no
// loop. Anything else may be who starts it again.
[[nodiscard]] bool merely_runs(const scanner::ProcessRow& wrapper, const scanner::ProcessRow& child);

// host_of(), or who started that one, where the facts say that it is a wrapper; never an adopter. A member, or a host by the rules, is
// no wrapper. For what follows from an end only: verdicts go by the host itself.
[[nodiscard]] scanner::Pid starter_of(const Member& member, const scanner::Facts& facts);

}  // namespace reaper::policy
