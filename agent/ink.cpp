#include "agent/ink.hpp"

namespace reaper::agent {

namespace {

std::string_view code_of(Ink ink) {
    switch (ink) {
        case Ink::strong: return "\x1b[1m";
        case Ink::bad: return "\x1b[1;31m";
        case Ink::warning: return "\x1b[1;33m";
        case Ink::good: return "\x1b[32m";
        case Ink::faint: return "\x1b[2m";
    }
    return "";
}

}  // namespace

std::string paint(std::string_view text, Ink ink, bool color) {
    if (!color || text.empty()) return std::string(text);
    return std::string(code_of(ink)).append(text).append("\x1b[0m");
}

}  // namespace reaper::agent
