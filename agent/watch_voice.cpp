#include "agent/watch_voice.hpp"

#include <unistd.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "agent/text_file.hpp"

namespace reaper::agent {

void tell(std::string_view text) {
    constexpr std::string_view kName = "orphan-reaper: ";
    std::string lines;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        lines.append(line.starts_with(kName) ? "" : kName).append(line).append("\n");
        text.remove_prefix(std::min(line.size() + 1, text.size()));
    }
    std::ignore = offer(STDERR_FILENO, lines);
}

void tell_news(const Options& options, std::string_view text) {
    if (!options.quiet) tell(text);
}

}  // namespace reaper::agent
