#include "policy/verdict.hpp"

#include <algorithm>
#include <iterator>

namespace reaper::policy {

namespace {

constexpr std::pair<Verdict, std::string_view> kWords[] = {
    {Verdict::orphan, "orphan"},       {Verdict::superseded, "superseded"},
    {Verdict::abandoned, "abandoned"}, {Verdict::duplicate, "duplicate"},
    {Verdict::held, "held"},           {Verdict::designated, "designated"},
    {Verdict::attached, "attached"},   {Verdict::supervised, "supervised"},
    {Verdict::young, "young"},         {Verdict::zombie, "zombie"},
    {Verdict::foreign, "foreign"},     {Verdict::unknown, "unknown"},
};

}  // namespace

std::string_view to_string(Verdict verdict) {
    const auto* const found = std::find_if(std::begin(kWords), std::end(kWords),
                                           [verdict](const auto& entry) { return entry.first == verdict; });
    return found == std::end(kWords) ? "unknown" : found->second;
}

std::optional<Verdict> verdict_from(std::string_view word) {
    const auto* const found =
        std::find_if(std::begin(kWords), std::end(kWords), [word](const auto& entry) { return entry.second == word; });
    if (found == std::end(kWords)) return std::nullopt;
    return found->first;
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
    for (const AtUpdate one : {AtUpdate::untouched, AtUpdate::in_the_way, AtUpdate::restarted, AtUpdate::is_update}) {
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
