// What to type next.
#pragma once

#include <string>
#include <vector>

#include "agent/report/html/markup.hpp"
#include "agent/report/report.hpp"

namespace reaper::agent::html {

struct Step {
    std::string command;  // printable ASCII
    std::string effect;
};

// Returns what helps with what a report found, the most useful first.
[[nodiscard]] std::vector<Step> steps_after(const Report& report);
// Returns what to type after a look at the history.
[[nodiscard]] std::vector<Step> steps_after_history();

// Empty without any.
[[nodiscard]] Markup render(const std::vector<Step>& steps);

}  // namespace reaper::agent::html
