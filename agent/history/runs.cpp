#include "agent/history/runs.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "agent/history/file.hpp"
#include "agent/history/merge.hpp"
#include "agent/history/summary_lines.hpp"
#include "agent/reading/bounded_reader.hpp"
#include "scanner/access_guard.hpp"

namespace reaper::agent {

namespace {

constexpr const char* kOfServices = "/var/lib/orphan-reaper";

// The folders of orphan-reaper@USER.service, each with the user that owns it.
std::vector<std::pair<HistoryPlace, scanner::Uid>> places_of_services() {
    std::vector<std::pair<HistoryPlace, scanner::Uid>> places;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(kOfServices, none)) {
        struct stat status{};
        const bool is_folder =
            ::lstat(entry.path().c_str(), &status) == 0 && S_ISDIR(status.st_mode);
        if (!is_folder) continue;
        const std::string name = entry.path().filename().string();
        places.push_back({{kOfServices, name + "/orphan-reaper"}, status.st_uid});
    }
    return places;
}

}  // namespace

Result<void> note_run(const std::string& folder, const Run& run) {
    const auto append = [&]() -> Result<void> {
        if (!scanner::may_read(::geteuid(), folder)) return unanswered(folder);
        return HistoryFile::open(folder, kRuns).and_then([&](HistoryFile file) {
            return file.append(run_line(run));
        });
    };
    return ::geteuid() == 0 ? append() : read_bounded<void>(append);
}

Result<Totals> read_totals() {
    const scanner::Uid user = ::geteuid();
    auto totals = read_totals(history_folder(), usual_history_places(), user);
    if (!totals || user != 0) return totals;
    for (const auto& [place, owner] : places_of_services()) {
        const auto more = read_totals({}, {place}, owner);
        if (more) add(*more, *totals);
    }
    return totals;
}

}  // namespace reaper::agent
