#include "agent/cli/values.hpp"

#include <algorithm>

#include "policy/text/duration.hpp"
#include "policy/text/escape.hpp"
#include "policy/text/nearest.hpp"

namespace reaper::agent {

std::string in_quotes(std::string_view word) {
    return fmt::format("'{}'", policy::escape(word, 60));
}

std::string describe_unknown(std::string_view kind, std::string_view word,
                             std::span<const std::string_view> known) {
    return fmt::format("{} {}{}; expected {}", kind, in_quotes(word),
                       policy::did_you_mean(word, known), fmt::join(known, ", "));
}

std::string find_choice(const OptionInfo& option, std::string_view word, std::size_t& place) {
    const auto names = split_words(value_of(option).choices);
    const auto found = std::ranges::find(names, word);
    place = static_cast<std::size_t>(found - names.begin());
    if (found != names.end()) return {};
    return describe_unknown(fmt::format("{}: unknown", option.name), word, names);
}

std::string read_time(const OptionInfo& option, std::string_view word,
                      std::chrono::milliseconds& target) {
    const auto time = policy::parse_duration(word);
    if (!time) return fmt::format("{} {}", option.name, time.error());
    target = *time;
    return {};
}

}  // namespace reaper::agent
