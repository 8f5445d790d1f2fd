// Layout of the reports for people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/report/report.hpp"
#include "agent/report/text/color.hpp"

namespace reaper::agent {

// True if there is room for columns; otherwise every value gets a line of its own.
[[nodiscard]] bool has_columns(const RenderOptions& options);

// Indents the text, and breaks it between words.
[[nodiscard]] std::string paragraph(std::string_view text, const RenderOptions& options);
// One line, whatever its length, where the terminal is wide enough for a table.
[[nodiscard]] std::string top_line(const std::string& text, Style style,
                                   const RenderOptions& options);
// Each with a mark, below an empty line. All of them when verbose.
[[nodiscard]] std::string remarks_text(const std::vector<std::string>& remarks,
                                       const RenderOptions& options);
// Returns all that a quiet report says: see only_line(); nothing when all is well.
[[nodiscard]] std::string quiet_text(const Report& report, const std::string& headline,
                                     const RenderOptions& options);
// Remarks, and what the exit status means when it is not 0.
[[nodiscard]] std::string closing_text(const Report& report, const RenderOptions& options);
[[nodiscard]] Style headline_style(ExitStatus status);

}  // namespace reaper::agent
