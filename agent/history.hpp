// What was done in the past, as the history tells it: read from its files, and put together to what happened to each process and file.
// history_writer.hpp writes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/program.hpp"
#include "scanner/identity.hpp"
#include "scanner/result.hpp"

namespace reaper::agent {

enum class EventKind {
    signal,     // a process is about to be signalled
    ended,      // what came of that
    respawned,  // the same helper of the same host came after it
    remove,     // a file is about to be removed
    removed,    // what came of that
};

[[nodiscard]] std::string_view to_string(EventKind kind);

// One line. What it does not say, because its writer was older or it does not apply, is empty.
struct Event {
    EventKind kind = EventKind::signal;
    double at = 0;            // wall clock, seconds
    std::uint64_t ticks = 0;  // since boot, in the clock of start_ticks
    Program by;               // who wrote it
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
    std::string signal;  // "TERM", "KILL"
    std::string reason;  // for the verdict, in words
    std::string result;  // as to_string(OutcomeResult) and to_string(RemovalResult) have it
    std::string detail;  // of the result
    double took_ms = 0;
    scanner::Pid respawned_as = 0;
    std::string respawned_identity;
    scanner::Pid host = 0;  // who started it (respawned: again); 0: nobody who lives, or nobody knows
    std::uint64_t host_start_ticks = 0;
    std::vector<std::string> host_argv;  // redacted

    std::string path;
    std::string file_kind;  // "gateway"

    bool operator==(const Event&) const = default;
};

struct UnreadableLine {
    std::string file;
    std::size_t line = 0;  // from 1
    std::string why;

    bool operator==(const UnreadableLine&) const = default;
};

struct History {
    std::vector<Event> events;               // in the order in which they were written
    std::vector<UnreadableLine> unreadable;  // skipped

    bool operator==(const History&) const = default;
};

// Adds the lines of `text`. A line that is cut short, or otherwise not of the form of this program's version, is skipped and named.
void add_lines(std::string_view text, const std::string& file, History& history);

// Both files in `folder`, as far as they are there. Fails when one is there and cannot be read.
[[nodiscard]] Result<History> read_history(const std::string& folder);
// The same by whoever can read a file of that name there; nothing: there is none.
using ReadHistoryFile = std::function<Result<std::string>(const std::string& name)>;
[[nodiscard]] Result<History> read_history_by(const ReadHistoryFile& read, const std::string& folder);

// Of a file that somebody else may have put there.
inline constexpr std::size_t kMostHistoryBytes = std::size_t{16} * 1024 * 1024;

// What one program did about one process or file, from the line before it to the line after it.
struct Deed {
    Event begin;                       // EventKind::signal or remove
    std::vector<std::string> signals;  // that were announced, in order: "TERM", "KILL"
    std::optional<Event> end;          // none: what came of it was never written down
    std::optional<Event> respawn;

    bool operator==(const Deed&) const = default;
};

// Who was ended, and who came in its place.
struct Respawn {
    Event ended;
    Event newcomer;

    bool operator==(const Respawn&) const = default;
};

// In the order in which they began.
[[nodiscard]] std::vector<Deed> deeds_of(const std::vector<Event>& events);

// The deeds in `folder` and in other histories of the user who runs this, as read_histories() has them; read once, when somebody first
// asks.
class Past {
   public:
    explicit Past(std::string folder) : folder_(std::move(folder)) {}

    // Fails as read_histories() does.
    [[nodiscard]] const Result<std::vector<Deed>>& deeds();

   private:
    std::string folder_;
    std::optional<Result<std::vector<Deed>>> deeds_;
};

[[nodiscard]] bool is_about_process(const Deed& deed);
// By TERM or KILL of this program.
[[nodiscard]] bool has_ended(const Deed& deed);
// It should have gone, and did not.
[[nodiscard]] bool has_failed(const Deed& deed);

}  // namespace reaper::agent
