// A look as a text that can be kept, sent, and judged on another machine.
#pragma once

#include <string>
#include <string_view>

#include "scanner/model/record.hpp"
#include "scanner/model/result.hpp"

namespace reaper::scanner {

inline constexpr std::string_view kFactsSchema = "orphan-reaper/facts/1";
inline constexpr std::size_t kLargestFacts = 64UL * 1024 * 1024;  // bytes of text

// Writes pure ASCII, and the same text for the same record. Lossless: bytes that are no UTF-8
// become
// {"bytes": "<hex>"}. Numbers must be finite; those of the scanner are.
[[nodiscard]] std::string facts_to_json(const Record& record);

// Parses strictly, never throws. invalid_argument: no JSON, another schema, or a field that is
// missing, unknown, duplicate or not as expected; the subject says where. file_too_large: longer
// than kLargestFacts.
[[nodiscard]] Result<Record> facts_from_json(std::string_view text);

}  // namespace reaper::scanner
