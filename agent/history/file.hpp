// The file that history lines are appended to: only whole lines, also when other programs append at
// the same time, and never more than fit.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "scanner/fd.hpp"
#include "scanner/model/result.hpp"

namespace reaper::agent {

class HistoryFile {
   public:
    static constexpr std::size_t kMostBytes =
        std::size_t{4} * 1024 * 1024;  // some ten thousand lines

    // Opens history.jsonl in `folder`, which is made where it is missing; only its owner can read
    // it. Symlinks, hard links, and anything but a regular file of this user are refused.
    [[nodiscard]] static Result<HistoryFile> open(const std::string& folder,
                                                  std::size_t most = kMostBytes);

    // Appends `line`, which ends with a newline; it is on the disk when this returns. It begins a
    // new line even where the one before was cut short. When the file would get larger than `most`,
    // it first becomes history.jsonl.1, replacing the older one. Fails when not all of the line
    // could be written.
    [[nodiscard]] Result<void> append(const std::string& line);

   private:
    HistoryFile(std::string folder, std::size_t most) : folder_(std::move(folder)), most_(most) {}

    [[nodiscard]] std::string path() const;
    [[nodiscard]] Result<void> reopen();
    [[nodiscard]] Result<void> lock_current();
    [[nodiscard]] bool is_current() const;
    [[nodiscard]] bool is_full(std::size_t more) const;

    std::string folder_;
    std::size_t most_;
    Fd file_;
    bool locked_ = false;
};

// Returns where this user's history is kept: $XDG_STATE_HOME/orphan-reaper, or
// ~/.local/state/orphan-reaper; root's is /var/lib/orphan-reaper. Empty: neither variable is set.
[[nodiscard]] std::string history_folder();

inline constexpr std::string_view kHistoryFile = "history.jsonl";
inline constexpr std::string_view kOlderEnding = ".1";
inline constexpr std::string_view kHistorySchema = "orphan-reaper/history/1";

}  // namespace reaper::agent
