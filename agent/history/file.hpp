// The file that history lines are appended to: only whole lines, also when other programs append at
// the same time, and never more than fit.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "agent/history/history.hpp"
#include "scanner/fd.hpp"
#include "scanner/model/result.hpp"

namespace reaper::agent {

// A kind of history, and how it is kept.
struct HistoryKind {
    std::string_view name;
    std::size_t most = 0;         // bytes of one file
    bool survives_power = false;  // each line is on the disk before anything follows from it
};

inline constexpr HistoryKind kActions{kHistoryFile, std::size_t{4} * 1024 * 1024,
                                      true};  // some ten thousand lines
// A line for each run: some hundred.
inline constexpr HistoryKind kRuns{"runs.jsonl", std::size_t{64} * 1024, false};

class HistoryFile {
   public:
    // Opens the file of that kind in `folder`, which is made where it is missing; only its owner
    // can read it. Symlinks, hard links, and anything but a regular file of this user are refused.
    [[nodiscard]] static Result<HistoryFile> open(const std::string& folder,
                                                  const HistoryKind& kind = kActions);

    // Appends `line`, which ends with a newline; where the kind asks for it, it is on the disk when
    // this returns. It begins a new line even where the one before was cut short. When the file
    // would get too large, it first becomes history.jsonl.1, replacing the older one; the new one
    // begins with the sums of both, so that no sum ever falls. Fails when not all of the line could
    // be written.
    [[nodiscard]] Result<void> append(const std::string& line);

   private:
    HistoryFile(std::string folder, const HistoryKind& kind)
        : folder_(std::move(folder)), kind_(kind) {}

    [[nodiscard]] std::string path() const;
    [[nodiscard]] Result<void> reopen();
    [[nodiscard]] Result<void> lock_current();
    [[nodiscard]] bool is_current() const;
    [[nodiscard]] bool is_full(std::size_t more) const;
    [[nodiscard]] bool is_empty() const;
    [[nodiscard]] std::string sums_of_both() const;
    [[nodiscard]] Result<std::string> take_turn(std::size_t more);

    std::string folder_;
    HistoryKind kind_;
    Fd file_;
    bool locked_ = false;
};

// Returns where this user's history is kept: $XDG_STATE_HOME/orphan-reaper, or
// ~/.local/state/orphan-reaper; root's is /var/lib/orphan-reaper. Empty: neither variable is set.
[[nodiscard]] std::string history_folder();

inline constexpr std::string_view kOlderEnding = ".1";
inline constexpr std::string_view kHistorySchema = "orphan-reaper/history/1";

}  // namespace reaper::agent
