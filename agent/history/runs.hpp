// Writes down each run of a command that may end processes, and adds up what all histories of a
// user tell.
#pragma once

#include <string>

#include "agent/history/totals.hpp"
#include "scanner/model/result.hpp"

namespace reaper::agent {

// Appends a line for `run` to runs.jsonl in `folder`, which is made where it is missing. Fails as
// HistoryFile does, and when the folder does not answer.
[[nodiscard]] Result<void> note_run(const std::string& folder, const Run& run);

// Adds up the histories and runs of this user, in all places where read_histories() looks; for root
// also those that sweeps as other users keep below /var/lib/orphan-reaper. Fails when those in
// history_folder() cannot be read. Leaves out others that cannot be read.
[[nodiscard]] Result<Totals> read_totals();

}  // namespace reaper::agent
