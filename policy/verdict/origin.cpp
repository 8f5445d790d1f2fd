#include "policy/verdict/origin.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "policy/rules/origin_marks.hpp"

namespace reaper::policy {

namespace {

constexpr std::size_t kLongestSession = 80;

}  // namespace

void note_origins(Member& member) {
    std::vector<std::string_view> told;
    for (const OriginMark& mark : kOriginMarks) {
        const auto value = variable(*member.facts, std::string(mark.variable));
        const bool known = std::ranges::find(told, mark.host) != told.end();
        if (!value || value->empty() || known) continue;
        told.push_back(mark.host);
        const std::string session =
            mark.session ? fmt::format(" {}", value->substr(0, kLongestSession)) : std::string();
        member.add(Weight::note, "started.by",
                   fmt::format("{} started it, or what it descends from ({}{})", mark.host,
                               mark.variable, session));
    }
}

}  // namespace reaper::policy
