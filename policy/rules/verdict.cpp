#include "policy/rules/verdict.hpp"

#include <algorithm>

namespace reaper::policy {

namespace {

constexpr std::array<std::string_view, kVerdicts.size()> kWords = {
    "orphan",   "superseded", "abandoned", "duplicate", "held",    "designated",
    "attached", "supervised", "young",     "zombie",    "foreign", "unknown"};

}  // namespace

std::string_view to_string(Verdict verdict) {
    const auto at = static_cast<std::size_t>(verdict);
    return at < kWords.size() ? kWords[at] : "unknown";
}

std::optional<Verdict> verdict_from(std::string_view word) {
    const auto found = std::ranges::find(kWords, word);
    if (found == kWords.end()) return std::nullopt;
    return kVerdicts[static_cast<std::size_t>(found - kWords.begin())];
}

// The only order of what vetoes say.
Verdict stronger(Verdict left, Verdict right) {
    for (const Verdict verdict : {Verdict::foreign, Verdict::designated, Verdict::supervised,
                                  Verdict::attached, Verdict::unknown}) {
        if (left == verdict || right == verdict) return verdict;
    }
    return left;
}

std::string_view to_string(AtUpdate at_update) {
    switch (at_update) {
        case AtUpdate::untouched: break;
        case AtUpdate::in_the_way: return "in_the_way";
        case AtUpdate::restarted: return "restarted";
        case AtUpdate::is_update: return "is_update";
    }
    return "untouched";
}

std::optional<AtUpdate> at_update_from(std::string_view word) {
    for (const AtUpdate one :
         {AtUpdate::untouched, AtUpdate::in_the_way, AtUpdate::restarted, AtUpdate::is_update}) {
        if (word == to_string(one)) return one;
    }
    return std::nullopt;
}

std::string_view to_string(Action action) {
    switch (action) {
        case Action::reap: return "reap";
        case Action::report: return "report";
        case Action::keep: return "keep";
    }
    return "keep";
}

}  // namespace reaper::policy
