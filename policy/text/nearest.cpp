#include "policy/text/nearest.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "policy/text/escape.hpp"

namespace reaper::policy {

namespace {

// Longer words are not compared: none is meant, and the cost grows with the square of the length.
constexpr std::size_t kLongestWord = 64;

// Returns the optimal string alignment distance, with three rows in memory at a time.
std::size_t distance(std::string_view left, std::string_view right) {
    std::vector<std::size_t> before(right.size() + 1);
    std::vector<std::size_t> last(right.size() + 1);
    std::vector<std::size_t> row(right.size() + 1);
    for (std::size_t j = 0; j <= right.size(); ++j) last[j] = j;
    for (std::size_t i = 1; i <= left.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= right.size(); ++j) {
            const std::size_t wrong = left[i - 1] == right[j - 1] ? 0 : 1;
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + wrong});
            const bool swapped =
                i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
            if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before.swap(last);
        last.swap(row);
    }
    return last[right.size()];
}

}  // namespace

std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> candidates) {
    if (word.empty() || word.size() > kLongestWord) return std::nullopt;
    std::optional<std::string_view> best;
    std::size_t allowed = std::max<std::size_t>(1, word.size() / 3) + 1;
    for (const std::string_view candidate : candidates) {
        const std::size_t mistakes = distance(word, candidate);
        if (mistakes >= allowed || mistakes >= candidate.size()) continue;
        best = candidate;
        allowed = mistakes;
    }
    return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
    const auto best = nearest(word, candidates);
    return best ? " (did you mean '" + escape(*best) + "'?)" : std::string();
}

}  // namespace reaper::policy
