// The strongest evidence of a judgement, in words.
#pragma once

#include <string>

#include "policy/rules/verdict.hpp"

namespace reaper::policy {

// Says why the verdict and the action are what they are, in at most three pieces of evidence.
// Printable ASCII.
[[nodiscard]] std::string why(const Judgement& judgement);

}  // namespace reaper::policy
