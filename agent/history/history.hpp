// What earlier runs did: history files are read, and their lines are put together to records of one
// action each. history_writer.hpp writes the files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/history/totals.hpp"
#include "agent/system/process_ref.hpp"
#include "scanner/model/identity.hpp"
#include "scanner/model/result.hpp"

namespace reaper::agent {

enum class EventKind {
    signal,     // a process is about to be signalled
    ended,      // what came of that
    respawned,  // the same helper of the same host came after it
    remove,     // a file is about to be removed
    removed,    // what came of that
};

[[nodiscard]] std::string_view to_string(EventKind kind);

// One line of a history. Fields that its writer did not know, or that do not apply, are empty.
struct Event {
    EventKind kind = EventKind::signal;
    double at = 0;            // wall clock, seconds
    std::uint64_t ticks = 0;  // since boot, in the clock of start_ticks
    Program by;               // the program that wrote it
    std::string from;         // what asked for that (--from)
    std::string home;

    scanner::Pid pid = 0;
    std::string identity;  // as scanner::to_string() has it
    std::string family;
    std::string role;
    std::string verdict;
    scanner::Uid uid = 0;
    std::string user;
    std::vector<std::string> argv;  // redacted
    std::uint64_t start_ticks = 0;
    std::uint64_t rss_bytes = 0;
    std::uint64_t swap_bytes = 0;
    std::string signal;  // "TERM", "KILL"
    std::string reason;  // for the verdict, in words
    std::string result;  // as to_string(OutcomeResult) and to_string(RemovalResult) have it
    std::string detail;  // of the result
    double took_ms = 0;
    scanner::Pid respawned_as = 0;
    std::string respawned_identity;
    scanner::Pid host = 0;  // that started it (respawned: again); 0: it has exited, or is not known
    std::uint64_t host_start_ticks = 0;
    std::vector<std::string> host_argv;  // redacted

    std::string path;
    std::string file_kind;  // "gateway"

    bool operator==(const Event&) const = default;
};

// As scanner::memory_bytes() has it. Older versions wrote down nothing about swap.
[[nodiscard]] constexpr std::uint64_t memory_bytes(const Event& event) {
    return event.rss_bytes + event.swap_bytes;
}

struct UnreadableLine {
    std::string file;
    std::size_t line = 0;  // from 1
    std::string why;

    bool operator==(const UnreadableLine&) const = default;
};

struct History {
    std::vector<Event> events;               // in the order in which they were written
    std::vector<UnreadableLine> unreadable;  // skipped
    Totals totals = {};                      // of these and of all lines before them

    bool operator==(const History&) const = default;
};

// Adds the lines of `text`. Lines that are cut short, or that this version cannot read, are skipped
// and listed.
void add_lines(std::string_view text, const std::string& file, History& history);

// The files of that name and the older one beside it, see HistoryKind.
inline constexpr std::string_view kHistoryFile = "history.jsonl";

// Reads both files in `folder`, where they exist. Fails when one exists and cannot be read.
[[nodiscard]] Result<History> read_history(const std::string& folder,
                                           std::string_view file = kHistoryFile);
// The same through `read`, which returns the text of a file of that name, or nothing when there is
// none.
using ReadHistoryFile = std::function<Result<std::string>(const std::string& name)>;
[[nodiscard]] Result<History> read_history_by(const ReadHistoryFile& read,
                                              const std::string& folder,
                                              std::string_view file = kHistoryFile);

// The most that is read of a file that another program may have put there.
inline constexpr std::size_t kMostHistoryBytes = std::size_t{16} * 1024 * 1024;

// What one program did about one process or file: from the line before it to the line after it.
struct ActionRecord {
    Event begin;                       // EventKind::signal or remove
    std::vector<std::string> signals;  // that were announced, in order: "TERM", "KILL"
    std::optional<Event> end;          // none: the result was never written down
    std::optional<Event> respawn;

    bool operator==(const ActionRecord&) const = default;
};

// An ended process, and the one that was started in its place.
struct Respawn {
    Event ended;
    Event newcomer;

    bool operator==(const Respawn&) const = default;
};

// Groups events to records, in the order in which they began.
[[nodiscard]] std::vector<ActionRecord> records_of(const std::vector<Event>& events);

// The records in `folder` and in other histories of the user of this process, as read_histories()
// has them; read once, at the first call.
class CachedHistory {
   public:
    explicit CachedHistory(std::string folder) : folder_(std::move(folder)) {}

    // Fails as read_histories() does.
    [[nodiscard]] const Result<std::vector<ActionRecord>>& records();

   private:
    std::string folder_;
    std::optional<Result<std::vector<ActionRecord>>> records_;
};

[[nodiscard]] bool is_about_process(const ActionRecord& record);
// True if TERM or KILL of this program ended it.
[[nodiscard]] bool has_ended(const ActionRecord& record);
// True if it should have ended, and did not, or came back.
[[nodiscard]] bool has_failed(const ActionRecord& record);

}  // namespace reaper::agent
