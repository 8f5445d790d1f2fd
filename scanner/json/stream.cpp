#include "scanner/json/stream.hpp"

#include <array>
#include <utility>

#include "scanner/json/bytes.hpp"

namespace reaper::scanner::json {

namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Letters of a string that neither end nor interrupt it.
constexpr std::array<bool, 256> kPlain = [] {
    std::array<bool, 256> plain{};
    for (std::size_t letter = 0x20; letter < 0x80; ++letter)
        plain[letter] = letter != '"' && letter != '\\';
    return plain;
}();

// Counts the bytes of whole characters of a string before the one that ends or interrupts it.
std::size_t length_of_plain(std::string_view text) {
    std::size_t length = 0;
    for (;;) {
        while (length < text.size() && kPlain[static_cast<unsigned char>(text[length])]) ++length;
        const bool ascii = length == text.size() || static_cast<unsigned char>(text[length]) < 0x80;
        const std::size_t bytes = ascii ? 0 : length_of_first(text.substr(length));
        if (bytes == 0) return length;
        length += bytes;
    }
}

bool is_digit(char letter) {
    return letter >= '0' && letter <= '9';
}

bool is_hex(unsigned char letter) {
    return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f') ||
           (letter >= 'A' && letter <= 'F');
}

bool is_number_letter(char letter) {
    return is_digit(letter) || letter == '-' || letter == '+' || letter == '.' || letter == 'e' ||
           letter == 'E';
}

bool is_word_letter(char letter) {
    return letter >= 'a' && letter <= 'z';
}

// Takes digits off the front. False: there is none.
bool take_digits(std::string_view& text) {
    std::size_t count = 0;
    while (count < text.size() && is_digit(text[count])) ++count;
    text.remove_prefix(count);
    return count > 0;
}

bool is_number(std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    const bool zero = text.starts_with('0');
    const std::size_t before = text.size();
    if (!take_digits(text) || (zero && before - text.size() > 1)) return false;
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        if (!take_digits(text)) return false;
    }
    if (text.starts_with('e') || text.starts_with('E')) {
        text.remove_prefix(1);
        if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
        if (!take_digits(text)) return false;
    }
    return text.empty();
}

tl::unexpected<Error> refused() {
    return failure(std::errc::invalid_argument, "understand", "the file");
}

}  // namespace

Result<void> Stream::feed(std::string_view piece) {
    const bool is_first = std::exchange(first_piece_, first_piece_ && piece.empty());
    if (is_first && piece.starts_with(kByteOrderMark)) piece.remove_prefix(kByteOrderMark.size());
    for (std::size_t at = 0; at < piece.size();) {
        bool good = true;
        if (inside_ == Inside::string) {
            good = take_string(piece, at);
        } else if (inside_ == Inside::number) {
            if (is_number_letter(piece[at]))
                keep(piece.substr(at++, 1));
            else
                good = end_number();
        } else if (inside_ == Inside::word) {
            if (is_word_letter(piece[at]))
                keep(piece.substr(at++, 1));
            else
                good = end_word();
        } else {
            good = take_between(piece[at++]);
        }
        if (!good) return refused();
    }
    return {};
}

Result<void> Stream::finish() {
    bool good = inside_ != Inside::string;
    if (inside_ == Inside::number) good = end_number();
    if (inside_ == Inside::word) good = end_word();
    if (!good || expected_ != Expected::nothing) return refused();
    return {};
}

bool Stream::take_between(char letter) {
    switch (letter) {
        case ' ':
        case '\t':
        case '\n':
        case '\r': return true;
        case '{': return open(true);
        case '[': return open(false);
        case '}': return close(true);
        case ']': return close(false);
        case ':':
            if (expected_ != Expected::colon) return false;
            expected_ = Expected::value;
            return true;
        case ',':
            if (expected_ != Expected::comma_or_close) return false;
            expected_ = in_object() ? Expected::key : Expected::value;
            return true;
        case '"':
            if (!wants_value() && expected_ != Expected::key && expected_ != Expected::key_or_close)
                return false;
            begin(Inside::string);
            return true;
        default: break;
    }
    if (!wants_value() || (!is_number_letter(letter) && !is_word_letter(letter))) return false;
    begin(letter == '-' || is_digit(letter) ? Inside::number : Inside::word);
    keep({&letter, 1});
    return true;
}

bool Stream::open(bool object) {
    if (!wants_value() || depth_ == kDeepest) return false;
    const std::uint64_t bit = std::uint64_t{1} << depth_;
    objects_ = object ? objects_ | bit : objects_ & ~bit;
    ++depth_;
    expected_ = object ? Expected::key_or_close : Expected::value_or_close;
    return taker_.take({object ? TokenKind::open_object : TokenKind::open_array});
}

bool Stream::close(bool object) {
    const Expected empty = object ? Expected::key_or_close : Expected::value_or_close;
    if (depth_ == 0 || in_object() != object) return false;
    if (expected_ != Expected::comma_or_close && expected_ != empty) return false;
    --depth_;
    return end_value({TokenKind::close});
}

bool Stream::end_value(const Token& token) {
    inside_ = Inside::nothing;
    expected_ = depth_ == 0 ? Expected::nothing : Expected::comma_or_close;
    return taker_.take(token);
}

bool Stream::end_string() {
    if (wants_value()) return end_value({TokenKind::string, text_, whole_});
    inside_ = Inside::nothing;
    expected_ = Expected::colon;
    return taker_.take({TokenKind::key, text_, whole_});
}

bool Stream::end_number() {
    return whole_ && is_number(text_) && end_value({TokenKind::number, text_});
}

bool Stream::end_word() {
    if (text_ == "null") return end_value({TokenKind::null});
    return (text_ == "true" || text_ == "false") && end_value({TokenKind::boolean});
}

bool Stream::take_string(std::string_view piece, std::size_t& at) {
    while (escaped_ || hex_left_ > 0 || tail_left_ > 0) {
        if (at == piece.size()) return true;
        if (!take_special(static_cast<unsigned char>(piece[at++]))) return false;
    }
    const std::string_view plain = piece.substr(at, length_of_plain(piece.substr(at)));
    keep(plain);
    at += plain.size();
    if (at == piece.size()) return true;
    const char letter = piece[at++];
    if (letter == '"') return end_string();
    if (letter != '\\') return begin_character(static_cast<unsigned char>(letter));
    escaped_ = true;
    whole_ = false;
    return true;
}

// Takes a letter in the middle of an escape, or of a character of several bytes.
bool Stream::take_special(unsigned char letter) {
    if (escaped_) return take_escaped(letter);
    if (hex_left_ > 0) {
        --hex_left_;
        return is_hex(letter);
    }
    const bool good = letter >= lowest_ && letter <= highest_;
    --tail_left_;
    lowest_ = 0x80;
    highest_ = 0xbf;
    const char kept = static_cast<char>(letter);
    keep({&kept, 1});
    return good;
}

bool Stream::take_escaped(unsigned char letter) {
    escaped_ = false;
    if (letter == 'u') hex_left_ = 4;
    return std::string_view("\"\\/bfnrtu").find(static_cast<char>(letter)) !=
           std::string_view::npos;
}

// Begins a character that ends in the next piece. False: it is not UTF-8. Must agree with
// length_of_first().
bool Stream::begin_character(unsigned char lead) {
    if (lead < 0xc2 || lead > 0xf4) return false;
    tail_left_ = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    if (lead == 0xe0) lowest_ = 0xa0;
    if (lead == 0xf0) lowest_ = 0x90;
    if (lead == 0xed) highest_ = 0x9f;
    if (lead == 0xf4) highest_ = 0x8f;
    const char kept = static_cast<char>(lead);
    keep({&kept, 1});
    return true;
}

void Stream::begin(Inside inside) {
    inside_ = inside;
    text_.clear();
    whole_ = true;
}

void Stream::keep(std::string_view text) {
    if (text.size() > kLongest - text_.size()) {
        text = text.substr(0, kLongest - text_.size());
        whole_ = false;
    }
    text_ += text;
}

}  // namespace reaper::scanner::json
