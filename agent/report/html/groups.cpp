#include "agent/report/html/groups.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "agent/report/text/process_line.hpp"

namespace reaper::agent::html {

namespace {

using policy::Verdict;

// Some families are named by what one calls a member of them.
bool is_noun(std::string_view family) {
    constexpr std::string_view kNouns[] = {"bridge",  "worker", "kernel",  "gateway", "host",
                                           "browser", "daemon", "session", "bot",     "server"};
    return std::ranges::any_of(kNouns,
                               [&](std::string_view noun) { return family.ends_with(noun); });
}

auto key_of(const Report& report, const ReportedProcess& process) {
    const policy::Judgement& judgement = process.judgement;
    return std::tuple(mark_of(process), judgement.host, judgement.family, judgement.role,
                      shown_home(report, process), judgement.verdict);
}

}  // namespace

std::uint64_t memory_bytes(const Group& group) {
    return std::accumulate(group.members.begin(), group.members.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const ReportedProcess* process) {
                               return sum + scanner::memory_bytes(process->facts);
                           });
}

std::vector<Group> group_equals(const Report& report, const Processes& processes) {
    std::map<decltype(key_of(report, *processes.front())), std::size_t> places;
    std::vector<Group> groups;
    for (const ReportedProcess* process : processes) {
        const auto [place, is_new] = places.try_emplace(key_of(report, *process), groups.size());
        if (is_new) groups.push_back({mark_of(*process), {}});
        groups[place->second].members.push_back(process);
    }
    std::ranges::sort(groups, {}, [](const Group& group) {
        return std::tuple(group.mark, ~memory_bytes(group), group.members.front()->facts.row.pid);
    });
    return groups;
}

std::string helpers_text(std::string_view family, std::size_t count) {
    std::string words(family);
    std::ranges::replace(words, '_', ' ');
    if (!is_noun(family)) words += " helper";
    return count == 1 ? words : fmt::format("{} {}s", count, words);
}

std::string title_of(const Report& report, const Group& group) {
    const ReportedProcess& first = *group.members.front();
    const std::string helpers = helpers_text(first.judgement.family, group.members.size());
    if (first.judgement.home.empty()) return helpers + " of an unknown home";
    return fmt::format("{} of {}", helpers, shown_home(report, first));
}

std::string_view verdict_words(Verdict verdict) {
    switch (verdict) {
        case Verdict::orphan: return "lost its host";
        case Verdict::superseded: return "replaced by another daemon";
        case Verdict::abandoned: return "cut off from its host";
        case Verdict::duplicate: return "a double of a newer one";
        case Verdict::held: return "lost its host, but is still held";
        case Verdict::designated: return "the daemon that must stay";
        case Verdict::attached: return "in use by its host";
        case Verdict::supervised: return "run by a service manager";
        case Verdict::young: return "too young to be judged";
        case Verdict::zombie: return "dead, not yet collected";
        case Verdict::foreign: return "of another user or program";
        case Verdict::unknown: return "not fully readable";
    }
    return "not fully readable";
}

}  // namespace reaper::agent::html
