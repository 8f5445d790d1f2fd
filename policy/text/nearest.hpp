// Suggests the word that was probably meant.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace reaper::policy {

// Returns the candidate with the fewest typing mistakes (a letter too many, too few, wrong, or
// swapped with the next). None: even the best one is more than a third of the word away.
[[nodiscard]] std::optional<std::string_view> nearest(std::string_view word,
                                                      std::span<const std::string_view> candidates);

// Returns " (did you mean 'sweep'?)", or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       std::span<const std::string_view> candidates);

}  // namespace reaper::policy
