// What a reader has to know about the machine around the helpers.
#pragma once

#include <string>
#include <vector>

#include "scanner/model/diagnosis.hpp"

namespace reaper::agent {

// Returns a remark on each thing that is wrong, or will be soon, and what helps.
[[nodiscard]] std::vector<std::string> diagnosis_remarks(const scanner::Diagnosis& diagnosis);

}  // namespace reaper::agent
