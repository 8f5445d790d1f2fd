// Pieces that several JSON forms are put together from.
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "agent/report/report.hpp"
#include "policy/rules/evidence.hpp"

namespace reaper::agent {

// Copies the items into an array; an empty range gives [], never null.
template <class Range>
nlohmann::ordered_json list(const Range& range) {
    auto array = nlohmann::ordered_json::array();
    for (const auto& item : range) array.push_back(item);
    return array;
}

// As the schema of the report has them.
[[nodiscard]] nlohmann::ordered_json evidence_json(const std::vector<policy::Evidence>& evidence);
[[nodiscard]] nlohmann::ordered_json host_json(const HostTally& host);
[[nodiscard]] nlohmann::ordered_json diagnosis_json(const scanner::Diagnosis& diagnosis);
[[nodiscard]] nlohmann::ordered_json pid_file_json(const ReportedFile& file,
                                                   const scanner::Machine& machine);

}  // namespace reaper::agent
