// The file that lines are appended to: whole lines only, whoever else appends, and never more of them than fit.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "scanner/fd.hpp"
#include "scanner/result.hpp"

namespace reaper::agent {

class HistoryFile {
   public:
    static constexpr std::size_t kMostBytes = std::size_t{4} * 1024 * 1024;  // some ten thousand lines

    // history.jsonl in `folder`, which is made where it is missing; only its owner can read it. Anything but a regular file of this
    // user with one name is refused, and a link is not followed.
    [[nodiscard]] static Result<HistoryFile> open(const std::string& folder, std::size_t most = kMostBytes);

    // On the disk when this returns. `line` ends with a newline, and begins one even where another was cut short before it. Once the
    // file would get larger than `most` it becomes history.jsonl.1, in the place of the one before, and a new one begins.
    // Fails when not all of it could be written.
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

// Where this user's history is kept: $XDG_STATE_HOME/orphan-reaper, or ~/.local/state/orphan-reaper; root's is
// /var/lib/orphan-reaper. Empty: neither variable says where.
[[nodiscard]] std::string history_folder();

inline constexpr std::string_view kHistoryFile = "history.jsonl";
inline constexpr std::string_view kOlderEnding = ".1";
inline constexpr std::string_view kHistorySchema = "orphan-reaper/history/1";

}  // namespace reaper::agent
