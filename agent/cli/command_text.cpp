#include "agent/cli/command_text.hpp"

#include <optional>

namespace reaper::agent {

namespace {

// Takes the first character out of UTF-8 text that is not empty; none: it does not begin with one.
std::optional<char32_t> take_character(std::string_view& text) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned first = byte(0);
    const std::size_t size = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if ((first >= 0x80 && first < 0xc2) || first > 0xf4 || size > text.size()) return std::nullopt;
    char32_t character = size == 1 ? first : first & (0xffU >> (size + 1));
    for (std::size_t at = 1; at < size; ++at) {
        if ((byte(at) & 0xc0U) != 0x80) return std::nullopt;
        character = (character << 6U) | (byte(at) & 0x3fU);
    }
    text.remove_prefix(size);
    const bool overlong = (size == 3 && character < 0x800) || (size == 4 && character < 0x10000);
    const bool none = (character >= 0xd800 && character < 0xe000) || character > 0x10ffff;
    return overlong || none ? std::nullopt : std::optional(character);
}

// Control characters, and those that are not seen or turn the direction of what follows.
bool is_shown_as_it_is(char32_t c) {
    const bool control = c < 0x20 || (c >= 0x7f && c < 0xa0);
    const bool unseen = c == 0xad || c == 0x61c || (c >= 0x200b && c <= 0x200f) ||
                        (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) ||
                        c == 0xfeff || (c >= 0xfff0 && c <= 0xfffb) || c >= 0xe0000;
    return !control && !unseen;
}

}  // namespace

std::string command_to_show(std::string_view command) {
    for (std::string_view rest = command; !rest.empty();) {
        const auto character = take_character(rest);
        if (!character || !is_shown_as_it_is(*character))
            return "(no command to type: a name in it has characters that cannot be shown)";
    }
    return std::string(command);
}

}  // namespace reaper::agent
