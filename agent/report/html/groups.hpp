// Equal processes of a report, put together: what one person would call one thing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/report/html/marks.hpp"
#include "agent/report/report.hpp"
#include "agent/report/text/sections.hpp"

namespace reaper::agent::html {

// Processes of one host, family, role, home and verdict, to which the same happened. Never empty.
struct Group {
    Mark mark = Mark::kept;
    Processes members;
};

// Groups `processes` in the order of the marks, most memory first.
[[nodiscard]] std::vector<Group> group_equals(const Report& report, const Processes& processes);

[[nodiscard]] std::uint64_t memory_bytes(const Group& group);
// "6 bridges of ~/.hermes"; of a single one "bridge of ~/.hermes".
[[nodiscard]] std::string title_of(const Report& report, const Group& group);
// "bridge", "2 bridges", "3 mcp helpers"
[[nodiscard]] std::string helpers_text(std::string_view family, std::size_t count);
// Says a verdict in words: "lost its host".
[[nodiscard]] std::string_view verdict_words(policy::Verdict verdict);

}  // namespace reaper::agent::html
