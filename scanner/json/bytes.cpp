#include "scanner/json/bytes.hpp"

#include <algorithm>
#include <cstdint>

namespace reaper::scanner::json {

namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

std::uint32_t byte_at(std::string_view bytes, std::size_t at) {
    return static_cast<unsigned char>(bytes[at]);
}

}  // namespace

std::size_t length_of_first(std::string_view bytes) {
    const std::uint32_t lead = byte_at(bytes, 0);
    if (lead < 0x80) return 1;
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || bytes.size() < length) return 0;
    std::uint32_t code = lead & (0x7fU >> length);
    for (std::size_t at = 1; at < length; ++at) {
        const std::uint32_t next = byte_at(bytes, at);
        if ((next & 0xc0U) != 0x80) return 0;
        code = (code << 6U) | (next & 0x3fU);
    }
    const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    return overlong || surrogate || code > 0x10ffff ? 0 : length;
}

bool is_utf8(std::string_view bytes) {
    while (!bytes.empty()) {
        const std::size_t length = length_of_first(bytes);
        if (length == 0) return false;
        bytes.remove_prefix(length);
    }
    return true;
}

std::string to_hex(std::string_view bytes) {
    std::string digits;
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        digits += kDigits[byte_at(bytes, at) >> 4U];
        digits += kDigits[byte_at(bytes, at) & 0xfU];
    }
    return digits;
}

std::optional<std::string> from_hex(std::string_view digits) {
    if (digits.size() % 2 != 0 || digits.find_first_not_of(kDigits) != std::string_view::npos)
        return std::nullopt;
    std::string bytes;
    for (std::size_t at = 0; at < digits.size(); at += 2) {
        bytes += static_cast<char>(kDigits.find(digits[at]) * 16 + kDigits.find(digits[at + 1]));
    }
    return bytes;
}

}  // namespace reaper::scanner::json
