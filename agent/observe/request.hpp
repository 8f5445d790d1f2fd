// What has to be read of a candidate.
#pragma once

#include "policy/match/match.hpp"
#include "policy/rules/rules.hpp"
#include "scanner/inspector.hpp"
#include "scanner/pid_handle.hpp"

namespace reaper::agent {

// Returns what has to be read of a process that a rule matched. `rules` outlives it.
[[nodiscard]] scanner::InspectionRequest request_for(const policy::Rules& rules,
                                                     const policy::Match& match);

// Inspects a candidate, once more if it became another program meanwhile; if it does so again, it
// counts as a process that has only just started, and the call fails.
[[nodiscard]] Result<scanner::ProcessFacts> inspect(scanner::Inspector& inspector,
                                                    const scanner::PidHandle& handle,
                                                    const scanner::InspectionRequest& request);

}  // namespace reaper::agent
