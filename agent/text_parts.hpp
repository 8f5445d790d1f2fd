// How reports for people are laid out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/ink.hpp"
#include "agent/report.hpp"

namespace reaper::agent {

// Where there is less room, everything gets lines of its own instead of columns.
[[nodiscard]] bool has_columns(const RenderOptions& options);

// Indented, and broken between words.
[[nodiscard]] std::string paragraph(std::string_view text, const RenderOptions& options);
// One line, whatever its length, where the terminal is wide enough for a table.
[[nodiscard]] std::string top_line(const std::string& text, Ink ink, const RenderOptions& options);
// Each with a mark, below an empty line. All of them when verbose.
[[nodiscard]] std::string remarks_text(const std::vector<std::string>& remarks, const RenderOptions& options);
// Remarks, and what the exit status means when it is not 0.
[[nodiscard]] std::string closing_text(const Report& report, const RenderOptions& options);
[[nodiscard]] Ink headline_ink(ExitStatus status);

}  // namespace reaper::agent
