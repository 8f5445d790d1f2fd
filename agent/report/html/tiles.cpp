#include "agent/report/html/tiles.hpp"

#include <algorithm>
#include <cctype>

#include "agent/report/history_view.hpp"
#include "agent/report/text/process_line.hpp"
#include "agent/system/format.hpp"

namespace reaper::agent::html {

namespace {

std::size_t count_marks(const Report& report, Mark mark) {
    return static_cast<std::size_t>(std::ranges::count(report.processes, mark, mark_of));
}

std::string number(std::size_t count) {
    return fmt::format("{}", count);
}

bool is_done(const Report& report) {
    return !report.dry_run && (report.command == "sweep" || report.command == "preflight");
}

Tile kept_tile(const Report& report) {
    return {Mark::kept, "Kept", number(count_marks(report, Mark::kept)), "in use, or protected"};
}

void add_look(const Report& report, std::vector<Tile>& tiles) {
    const std::size_t count = count_marks(report, Mark::look);
    if (count > 0)
        tiles.push_back({Mark::look, "To look at", number(count), "a sweep leaves these"});
}

Tile last_sweep_tile(const Report& report) {
    Tile tile{Mark::ended, "Last sweep", "none recorded", "no sweep has ended anything yet"};
    if (report.replayed) {
        tile.value = "not known";
        tile.note = "a facts file does not say";
    } else if (!report.past) {
        tile.value = "not known";
        tile.note = "the history could not be read";
    } else if (const auto& last = report.past->last) {
        const double ago = std::max(0.0, report.past->now - last->at);
        tile.value = age_text(static_cast<std::uint64_t>(ago)) + " ago";
        tile.note =
            fmt::format("the last that ended something: {}, {}", count_text(last->ended, "helper"),
                        size_text(last->reclaimed_bytes));
    }
    return tile;
}

std::vector<Tile> plan_tiles(const Report& report) {
    const std::size_t leaked = count_marks(report, Mark::leaked);
    const Mark mark = leaked == 0 ? Mark::kept : Mark::leaked;
    std::vector<Tile> tiles;
    tiles.push_back({mark, report.dry_run ? "Would be ended" : "Leaked", number(leaked),
                     leaked == 0 ? "no helper that a sweep ends" : "nothing uses these any more"});
    tiles.push_back({mark, "Would come back", size_text(report.summary.reclaimable_bytes),
                     "memory of what is leaked"});
    add_look(report, tiles);
    tiles.push_back(kept_tile(report));
    if (report.command == "report") tiles.push_back(last_sweep_tile(report));
    return tiles;
}

std::vector<Tile> done_tiles(const Report& report) {
    const ReportSummary& summary = report.summary;
    std::vector<Tile> tiles;
    tiles.push_back({Mark::ended, "Ended", number(count_marks(report, Mark::ended)),
                     fmt::format("of {}", count_text(summary.to_reap, "leaked helper"))});
    tiles.push_back(
        {Mark::ended, "Came back", size_text(summary.reclaimed_bytes), "memory of what was ended"});
    tiles.push_back({summary.failed == 0 ? Mark::kept : Mark::failed, "Did not end",
                     number(count_marks(report, Mark::failed)),
                     summary.failed == 0 ? "all went well" : "the reasons are below"});
    add_look(report, tiles);
    tiles.push_back(kept_tile(report));
    return tiles;
}

std::vector<Tile> preflight_tiles(const Report& report) {
    const std::size_t blocking = report.obstacles.size();
    const bool ready = report.exit_status == ExitStatus::clean;
    std::vector<Tile> tiles;
    tiles.push_back({ready ? Mark::kept : Mark::leaked, "Ready to update", ready ? "yes" : "no",
                     ready ? "nothing is in the way" : "see what is in the way"});
    tiles.push_back({blocking > 0 ? Mark::leaked : Mark::kept, "In the way", number(blocking),
                     blocking > 0 ? "each with what to do" : "no process, file or sweep"});
    const std::size_t files =
        report.dry_run ? report.summary.files_stale : report.summary.files_removed;
    tiles.push_back({Mark::ended, "Stale files", number(files),
                     report.dry_run ? "would be removed" : "removed"});
    return tiles;
}

}  // namespace

std::vector<Tile> tiles_of(const Report& report) {
    std::vector<Tile> tiles;
    if (report.command == "preflight") tiles = preflight_tiles(report);
    for (Tile& tile : is_done(report) ? done_tiles(report) : plan_tiles(report))
        tiles.push_back(std::move(tile));
    return tiles;
}

Markup render(const std::vector<Tile>& tiles) {
    Markup cards;
    for (const Tile& tile : tiles) {
        const bool is_number = std::isdigit(static_cast<unsigned char>(tile.value.front())) != 0;
        cards += element(
            "div", {{"class", "card tile " + class_of(tile.mark)}},
            element("dt", mark_icon(tile.mark) + text(tile.name)) +
                element("dd", {{"class", is_number ? "value" : "value word"}}, text(tile.value)) +
                element("dd", text(tile.note)));
    }
    return element("dl", {{"class", "tiles"}}, cards) + literal("\n");
}

}  // namespace reaper::agent::html
