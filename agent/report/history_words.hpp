// What the reports of `history` for people say. Printable ASCII.
#pragma once

#include <string>
#include <vector>

#include "agent/report/history_view.hpp"

namespace reaper::agent {

// Returns the answer in one line: "6 helpers ended in the last 7d, 546 MB came back".
[[nodiscard]] std::string history_headline(const HistoryView& view);
// True if all that was begun ended well, and every line could be read.
[[nodiscard]] bool is_clean_history(const HistoryView& view);
// Says what came of one action, or that this was never written down.
[[nodiscard]] std::string record_outcome(const HistoryView& view, const ActionRecord& record);
// Says what started a helper again.
[[nodiscard]] std::string respawn_text(const Event& respawn);
// Says which lines were skipped, and what is not shown.
[[nodiscard]] std::vector<std::string> history_remarks(const HistoryView& view);

}  // namespace reaper::agent
