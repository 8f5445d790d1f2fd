// All that a sweep may end, when it carries out a plan that was made before.
#pragma once

#include <map>
#include <string>

#include "policy/rules/verdict.hpp"
#include "scanner/model/process.hpp"

namespace reaper::agent {

// What a person was asked about. An identity outlives an exec: it alone does not tell whether a
// process is still that.
struct PlannedEnd {
    policy::Verdict verdict = policy::Verdict::unknown;  // that it must still get
    std::string digest;                                  // see digest_of()

    bool operator==(const PlannedEnd&) const = default;
};

// By identities, as scanner::to_string() has them.
using PlannedEnds = std::map<std::string, PlannedEnd>;

// Returns 16 digits that are others when the family, the role, the home, the program or any
// argument is. For one run of this program and its copies.
[[nodiscard]] std::string digest_of(const policy::Judgement& judgement,
                                    const scanner::ProcessRow& row);

[[nodiscard]] PlannedEnd planned_end(const policy::Judgement& judgement,
                                     const scanner::ProcessRow& row);

}  // namespace reaper::agent
