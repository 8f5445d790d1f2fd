// Pieces that several JSON forms are put together from.
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "agent/report.hpp"
#include "policy/evidence.hpp"

namespace reaper::agent {

template <class Range>
nlohmann::ordered_json list(const Range& range) {
    auto array = nlohmann::ordered_json::array();  // an empty list is [], never null
    for (const auto& item : range) array.push_back(item);
    return array;
}

[[nodiscard]] nlohmann::ordered_json evidence_json(const std::vector<policy::Evidence>& evidence);
[[nodiscard]] nlohmann::ordered_json pid_file_json(const ReportedFile& file, const scanner::Machine& machine);

}  // namespace reaper::agent
