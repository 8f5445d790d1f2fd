// The marks of a page: each state of a process has a colour, a shape and a word of its own.
#pragma once

#include <string_view>

#include "agent/report/html/markup.hpp"
#include "agent/report/report.hpp"

namespace reaper::agent::html {

// In the order of a page: what a person has to deal with comes first.
enum class Mark { failed, leaked, look, kept, ended };

[[nodiscard]] Mark mark_of(const ReportedProcess& process);
// "did not end", "leaked", "to look at", "kept", "ended"
[[nodiscard]] std::string_view word_of(Mark mark);
// The name of its colour in the style: "leaked".
[[nodiscard]] std::string class_of(Mark mark);

// The shapes, drawn once for a page; the others refer to them.
[[nodiscard]] Markup mark_shapes();
// A mark beside words that say the same, so that a screen reader skips it.
[[nodiscard]] Markup mark_icon(Mark mark);
// The same within a drawing.
[[nodiscard]] Markup mark_at(Mark mark, double x, double y);

}  // namespace reaper::agent::html
