// Whether what lines of cron name can be run.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>

#include "agent/doctor/schedule_state.hpp"
#include "agent/reading/bounded_reader.hpp"
#include "scanner/access_guard.hpp"

namespace reaper::agent {

namespace {

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

bool is_gone(const std::string& place) {
    struct stat status{};
    if (!scanner::may_read(::geteuid(), place)) return false;
    return ::stat(place.c_str(), &status) != 0 || !S_ISREG(status.st_mode) ||
           ::access(place.c_str(), X_OK) != 0;
}

}  // namespace

// In a copy of this program: a place that a user controls may never answer.
void find_gone_programs(std::vector<CronLine>& lines) {
    using Places = std::vector<std::string>;
    const auto some = std::span(lines).first(std::min(lines.size(), kMostLines));
    const auto gone = read_bounded<Places>([&]() -> Result<Places> {
        Places found;
        for (const CronLine& line : some)
            std::ranges::copy_if(places_of(line), std::back_inserter(found), is_gone);
        return found;
    });
    if (!gone) return;
    for (CronLine& line : some) {
        const auto places = places_of(line);
        line.gone = !places.empty() && std::ranges::all_of(places, [&](const std::string& place) {
            return std::ranges::find(*gone, place) != gone->end();
        });
    }
}

}  // namespace reaper::agent
