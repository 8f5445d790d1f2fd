// Sums of all that a history has had, also of lines that are no longer in its files.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "agent/system/exit_status.hpp"

namespace reaper::agent {

struct Event;

using CountByWord = std::map<std::string, std::uint64_t, std::less<>>;
using CountsByWord = std::map<std::string, CountByWord, std::less<>>;

struct LastRun {
    double at = 0;  // when it began: wall clock, seconds
    double took_ms = 0;
    int exit_status = 0;
    double succeeded_at = 0;  // when the last one that did began; 0: none did

    bool operator==(const LastRun&) const = default;
};

struct Totals {
    CountsByWord results;         // what came of signalled processes: by family, then by result
    CountByWord reclaimed_bytes;  // the rest by family
    CountByWord respawns;
    CountByWord refusals;  // processes that a run should have ended, and refused to
    CountsByWord runs;     // by command, then by exit status
    std::map<std::string, LastRun, std::less<>> last_runs;  // by command

    bool operator==(const Totals&) const = default;
};

// One run of a command that may end processes.
struct Run {
    std::string command;
    double at = 0;
    double took_ms = 0;
    ExitStatus exit_status = ExitStatus::clean;
    CountByWord refusals;   // by family
    std::string from = {};  // what asked for it (--from); only written
};

// True for what did all that it decided, and could look at everything, whether or not leaks are
// left.
[[nodiscard]] bool is_success(int exit_status);

// Each adds to `totals` what one line tells.
void count(const Event& event, Totals& totals);
void count(const Run& run, Totals& totals);

// Adds to the count of a word, which becomes a label of a metric: what a person named in a rule,
// and no text that a process or another user made up. Too many words, and other texts, are left
// out.
void note(CountByWord& counts, const std::string& word, std::uint64_t number);
// True for "slash_worker": letters, digits, "_", "-" and "."; at most 60.
[[nodiscard]] bool is_label(std::string_view word);

// Adds the sums of another folder.
void add(const Totals& more, Totals& totals);

}  // namespace reaper::agent
