// All that a sweep may end, when it carries out a plan that was made before.
#pragma once

#include <map>
#include <string>

#include "policy/rules/verdict.hpp"

namespace reaper::agent {

// Identities, as scanner::to_string() has them, each with the verdict that it must still get.
using PlannedEnds = std::map<std::string, policy::Verdict>;

}  // namespace reaper::agent
