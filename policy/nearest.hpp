// "Did you mean ...?"
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace reaper::policy {

// The candidate that takes the fewest typing mistakes (a letter too many, too few, wrong, or swapped with the next) to
// become `word`; none when even the best one is more than a third of the word away.
[[nodiscard]] std::optional<std::string_view> nearest(std::string_view word,
                                                      std::span<const std::string_view> candidates);

// " (did you mean 'sweep'?)", or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace reaper::policy
