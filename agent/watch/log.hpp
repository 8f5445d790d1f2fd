// The log of a watch: lines on stderr, each with the program's name in front. A line that stderr
// does not take at once is dropped: the watch must not wait for a slow reader.
#pragma once

#include <string_view>

#include "agent/cli/options.hpp"
#include "agent/report/journal.hpp"

namespace reaper::agent {

// Writes each line of `text` to stderr, as a warning.
void log_problem(std::string_view text);

// Writes what is as expected. Writes nothing with --quiet.
void log_info(const OutputOptions& options, std::string_view text);

// Writes an answer that was asked for (SIGUSR1), also with --quiet.
void log_answer(std::string_view text);

}  // namespace reaper::agent
