#include "policy/verdict/reason.hpp"

#include <algorithm>
#include <initializer_list>
#include <iterator>

#include "policy/text/escape.hpp"
#include "policy/verdict/respawn_veto.hpp"

namespace reaper::policy {

namespace {

constexpr std::size_t kLongestDetail = 200;

std::string details(const Judgement& judgement, Weight weight, std::size_t most) {
    std::string text;
    for (const Evidence& evidence : judgement.evidence) {
        if (evidence.weight != weight || most == 0) continue;
        if (!text.empty()) text += "; ";
        text += escape(evidence.detail, kLongestDetail);
        --most;
    }
    return text;
}

std::string first_of(const Judgement& judgement, std::initializer_list<Weight> weights,
                     std::size_t most) {
    for (const Weight weight : weights) {
        std::string text = details(judgement, weight, most);
        if (!text.empty()) return text;
    }
    return "no evidence was recorded";
}

std::string main_reasons(const Judgement& judgement) {
    if (judgement.action == Action::reap)
        return first_of(judgement, {Weight::for_kill, Weight::against, Weight::note}, 3);
    if (judgement.action == Action::keep && judgement.verdict != Verdict::unknown)
        return first_of(judgement, {Weight::veto, Weight::against, Weight::note}, 2);
    return first_of(judgement, {Weight::veto, Weight::against, Weight::for_kill, Weight::note}, 2);
}

// That a kept daemon has no client just now is no news.
bool is_always_told(std::string_view code, Action action) {
    if (code == "listens.no_peer") return action != Action::keep;
    constexpr std::string_view kCodes[] = {
        "database.deleted",     kRespawnNote, "cwd.deleted", "terminal.gone",
        "stdin.held_by_leaked", "started.by", "host.leaked"};
    return std::ranges::find(kCodes, code) != std::end(kCodes);
}

}  // namespace

std::string why(const Judgement& judgement) {
    std::string text = main_reasons(judgement);
    for (const Evidence& evidence : judgement.evidence) {
        const std::string detail = escape(evidence.detail, kLongestDetail);
        if (is_always_told(evidence.code, judgement.action) &&
            text.find(detail) == std::string::npos)
            text += "; " + detail;
    }
    return text;
}

}  // namespace reaper::policy
