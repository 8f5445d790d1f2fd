// What `history` shows, as a value: the records of some days, and how many there were of what kind.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "agent/history/history.hpp"
#include "agent/report/report.hpp"

namespace reaper::agent {

// The processes of one family on one day.
struct Tally {
    std::string day;  // "2026-01-31", UTC
    std::string family;
    std::size_t ended = 0;
    std::size_t failed = 0;     // should have ended, but did not, or came back
    std::size_t respawned = 0;  // of those that failed
    std::size_t cut_off = 0;    // what came of them was never written down
    std::uint64_t reclaimed_bytes = 0;

    bool operator==(const Tally&) const = default;
};

struct HistoryView {
    std::string version;
    std::string folder;
    double now = 0;
    std::chrono::milliseconds since{};
    std::vector<ActionRecord> records;  // not older than that, newest first
    std::size_t older = 0;              // records that are
    std::size_t future = 0;             // of `records`: the clock was stepped back after them
    std::vector<Tally> tallies;         // newest day first, by family
    Tally total;                        // without day and family
    std::size_t files_removed = 0;
    std::vector<UnreadableLine> unreadable;
    std::set<Program> running;  // programs that have not finished all that they have begun

    bool operator==(const HistoryView&) const = default;
};

// The last run that ended something.
struct LastSweep {
    double at = 0;  // wall clock, seconds
    std::size_t ended = 0;
    std::uint64_t reclaimed_bytes = 0;

    bool operator==(const LastSweep&) const = default;
};

// What the history says of earlier sweeps, for a page about the present.
struct PastSweeps {
    double now = 0;
    std::chrono::milliseconds since{};
    std::optional<LastSweep> last;  // however long ago; none: none is recorded
    std::vector<Tally> tallies;     // not older than `since`; newest day first, by family
};

// `runs`: whether this program may still be at what it has begun.
[[nodiscard]] HistoryView view_of(const History& history, double now,
                                  std::chrono::milliseconds since,
                                  const std::function<bool(const Program&)>& runs);
// True if its result was never written down, and will not be.
[[nodiscard]] bool is_cut_off(const HistoryView& view, const ActionRecord& record);

// Returns what a page about the present says of the past: the tallies of `since`, and the last run
// that ended something, whenever that was.
[[nodiscard]] PastSweeps past_sweeps_of(const History& history, double now,
                                        std::chrono::milliseconds since);

[[nodiscard]] std::string render_history(const HistoryView& view, const RenderOptions& options);
// Valid ASCII JSON.
[[nodiscard]] std::string render_history_json(const HistoryView& view);
// One page that needs nothing else, as render_html() has it.
[[nodiscard]] std::string render_history_html(const HistoryView& view);

}  // namespace reaper::agent
