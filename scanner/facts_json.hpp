// Facts as a text that can be kept, sent, and judged again on another machine.
#pragma once

#include <string>
#include <string_view>

#include "scanner/facts.hpp"
#include "scanner/result.hpp"

namespace reaper::scanner {

inline constexpr std::string_view kFactsSchema = "orphan-reaper/facts/1";
inline constexpr std::size_t kLargestFacts = 64UL * 1024 * 1024;  // bytes of text

// Pure ASCII, and the same text for the same facts. Lossless: bytes that are no UTF-8 are written as
// {"bytes": "<hex>"}. Numbers have to be finite; those of the scanner are.
[[nodiscard]] std::string facts_to_json(const Facts& facts);

// Strict. invalid_argument: no JSON, another schema, or a field that is missing, unknown, there twice, or not what it
// should be; the subject says where. file_too_large: longer than kLargestFacts. Never throws.
[[nodiscard]] Result<Facts> facts_from_json(std::string_view text);

}  // namespace reaper::scanner
