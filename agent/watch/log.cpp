#include "agent/watch/log.hpp"

#include <unistd.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "agent/system/text_file.hpp"

namespace reaper::agent {

namespace {

void write_lines(std::string_view text, Urgency urgency) {
    constexpr std::string_view kName = "orphan-reaper: ";
    std::string lines;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        lines.append(mark_of(urgency))
            .append(line.starts_with(kName) ? "" : kName)
            .append(line)
            .append("\n");
        text.remove_prefix(std::min(line.size() + 1, text.size()));
    }
    std::ignore = offer(STDERR_FILENO, lines);
}

}  // namespace

void log_problem(std::string_view text) {
    write_lines(text, Urgency::warning);
}

void log_info(const OutputOptions& options, std::string_view text) {
    if (!options.quiet) write_lines(text, Urgency::information);
}

void log_answer(std::string_view text) {
    write_lines(text, Urgency::information);
}

}  // namespace reaper::agent
