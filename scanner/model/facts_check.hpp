// Checks a record for contradictions. Facts that the scanner made have none; those from a file may.
#pragma once

#include "scanner/model/record.hpp"
#include "scanner/model/result.hpp"

namespace reaper::scanner {

// Checks that a look could have found these facts: possible pids, each once and in order; the
// identity and row of a candidate are of one process; the rows of claims have the pids that the
// claims name; clocks and sizes are in range. invalid_argument: they are not; the subject names the
// first wrong place and what was expected there.
[[nodiscard]] Result<void> check(const Record& record);

}  // namespace reaper::scanner
