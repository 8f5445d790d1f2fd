#include "agent/report/text/color.hpp"

namespace reaper::agent {

namespace {

std::string_view code_of(Style style) {
    switch (style) {
        case Style::strong: return "\x1b[1m";
        case Style::bad: return "\x1b[1;31m";
        case Style::warning: return "\x1b[1;33m";
        case Style::good: return "\x1b[32m";
        case Style::faint: return "\x1b[2m";
    }
    return "";
}

}  // namespace

std::string colorize(std::string_view text, Style style, bool color) {
    if (!color || text.empty()) return std::string(text);
    return std::string(code_of(style)).append(text).append("\x1b[0m");
}

}  // namespace reaper::agent
