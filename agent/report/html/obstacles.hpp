// What preflight says besides: what is in the way of an update, and which files are stale.
#pragma once

#include "agent/report/html/markup.hpp"
#include "agent/report/report.hpp"

namespace reaper::agent::html {

// Empty when nothing is in the way.
[[nodiscard]] Markup obstacles_of(const Report& report);
// Returns the stale files, and what became of each; empty without any.
[[nodiscard]] Markup stale_files_of(const Report& report);

}  // namespace reaper::agent::html
