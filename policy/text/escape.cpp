#include "policy/text/escape.hpp"

namespace reaper::policy {

namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

std::string escape_byte(char byte) {
    const auto value = static_cast<unsigned char>(byte);
    if (value >= 0x20 && value <= 0x7e) return {byte};
    return {'\\', 'x', kDigits[value >> 4U], kDigits[value & 0xfU]};
}

}  // namespace

std::string escape(std::string_view bytes, std::size_t longest) {
    std::string shown;
    for (const char byte : bytes) {
        const std::string piece = escape_byte(byte);
        if (shown.size() + piece.size() > longest) return shown + "...";
        shown += piece;
    }
    return shown;
}

}  // namespace reaper::policy
