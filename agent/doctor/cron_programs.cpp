// Whether what lines of cron name can be run.
#include <algorithm>
#include <chrono>
#include <span>
#include <string_view>

#include "agent/doctor/schedule_state.hpp"
#include "agent/reaping/command.hpp"

namespace reaper::agent {

namespace {

constexpr std::chrono::milliseconds kAnswerTime{2000};
constexpr std::size_t kMostPlaces = 16;  // of one program
constexpr std::size_t kMostLines = 16;

// Empty: only its shell knows, as of "~/bin/orphan-reaper".
std::vector<std::string> places_of(const CronLine& line) {
    if (line.program.starts_with('/')) return {line.program};
    std::vector<std::string> places;
    if (line.program.find('/') != std::string::npos) return places;
    std::string_view rest = line.path;
    while (!rest.empty() && places.size() < kMostPlaces) {
        const std::string_view folder = rest.substr(0, rest.find(':'));
        rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
        if (!folder.starts_with('/')) return {};
        places.push_back(std::string(folder) + "/" + line.program);
    }
    return places;
}

// Another program looks: a place that a user controls may never answer.
bool is_gone(const std::string& place) {
    const auto said =
        ask({.argv = {"/usr/bin/test", "-f", place, "-a", "-x", place}, .limit = kAnswerTime});
    return said && said->status == 1;
}

}  // namespace

void find_gone_programs(std::vector<CronLine>& lines) {
    const std::size_t most = std::min(lines.size(), kMostLines);
    for (CronLine& line : std::span(lines).first(most)) {
        const auto places = places_of(line);
        line.gone = !places.empty() && std::ranges::all_of(places, is_gone);
    }
}

}  // namespace reaper::agent
