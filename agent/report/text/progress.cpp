#include "agent/report/text/progress.hpp"

#include <unistd.h>

#include <tuple>

#include <fmt/format.h>

#include "agent/system/format.hpp"

namespace reaper::agent {

void LiveLine::waiting(std::size_t running, std::size_t finished,
                       std::chrono::milliseconds at_most) {
    if (running == 0) return erase();
    draw(live_text(running, finished, at_most));
}

void LiveLine::erase() {
    if (shown_.empty()) return;
    draw("");
    shown_.clear();
}

// Blanks instead of an erase sequence: right on every terminal, however dumb.
void LiveLine::draw(std::string_view text) {
    if (terminal_ < 0 || text == shown_) return;
    const std::size_t left_over = shown_.size() > text.size() ? shown_.size() - text.size() : 0;
    std::string bytes = fmt::format("\r{}{:{}}", text, "", left_over);
    if (text.empty()) bytes += '\r';
    shown_ = text;
    std::ignore =
        ::write(terminal_, bytes.data(), bytes.size());  // a lost line of progress does no harm
}

std::string live_text(std::size_t running, std::size_t finished,
                      std::chrono::milliseconds at_most) {
    std::string text = fmt::format("waiting for {} to end", count_text(running, "helper"));
    if (finished > 0)
        text += fmt::format(", {} {} ended", finished, finished == 1 ? "has" : "have");
    // Whole seconds, rounded up: a line that flickers is harder to read, and "at most 0 s" is a
    // lie.
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(at_most).count();
    return text + (seconds < 120 ? fmt::format(", at most {} s", seconds)
                                 : fmt::format(", at most {} min", (seconds + 59) / 60));
}

int terminal_to_draw_on(bool quiet) {
    return !quiet && isatty(STDERR_FILENO) == 1 ? STDERR_FILENO : -1;
}

}  // namespace reaper::agent
