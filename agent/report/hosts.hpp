// What eats the machine: the helpers of a report by the host that started them.
#pragma once

#include <string>
#include <vector>

#include "agent/report/report.hpp"
#include "agent/report/text/color.hpp"
#include "scanner/model/facts.hpp"

namespace reaper::agent {

// Counts the helpers of each living host, and those without one. Most memory first.
[[nodiscard]] std::vector<HostTally> tally_hosts(const Report& report, const scanner::Facts& facts);

[[nodiscard]] std::uint64_t memory_bytes(const HostTally& host);
// "node", or "(no host)"
[[nodiscard]] std::string host_name(const HostTally& host);
// "2 bridge, 1 slash_worker", the most first
[[nodiscard]] std::string families_text(const HostTally& host);

// Returns a table with a heading; empty when there is no helper.
[[nodiscard]] std::string hosts_section(const Report& report, const RenderOptions& options);

}  // namespace reaper::agent
