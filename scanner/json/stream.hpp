// Parses JSON in pieces as it arrives. Builds no tree, and keeps only the first bytes of a string
// or number, so the cost does not depend on the content.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "scanner/model/result.hpp"

namespace reaper::scanner::json {

enum class TokenKind { open_object, open_array, close, key, string, number, boolean, null };

struct Token {
    TokenKind kind = TokenKind::null;
    std::string_view text =
        {};             // Of keys, strings and numbers, as written: escapes are left as they are.
    bool whole = true;  // false: the text is longer, or contains escapes
};

class TokenTaker {
   public:
    virtual ~TokenTaker() = default;
    // False: stop, the text is not as expected.
    [[nodiscard]] virtual bool take(const Token& token) = 0;
};

// A parser for one text. invalid_argument: no JSON (RFC 8259, in UTF-8; a byte order mark may come
// first), nested deeper than kDeepest, a number longer than kLongest, or refused by the taker.
// Allows a single surrogate in an escape, as Python writes bytes that are no text that way.
class Stream {
   public:
    static constexpr std::size_t kDeepest = 32;
    static constexpr std::size_t kLongest = 256;

    explicit Stream(TokenTaker& taker) : taker_(taker) {}

    // Takes the next piece. The first piece has at least three bytes, enough for a byte order mark.
    [[nodiscard]] Result<void> feed(std::string_view piece);
    // Ends the text; call it after the last piece.
    [[nodiscard]] Result<void> finish();

   private:
    enum class Expected {
        value,
        value_or_close,
        key,
        key_or_close,
        colon,
        comma_or_close,
        nothing
    };
    enum class Inside { nothing, string, number, word };

    // These return false if the text is no JSON, or the taker refuses.
    bool take_between(char letter);
    bool open(bool object);
    bool close(bool object);
    bool end_string();
    bool end_number();
    bool end_word();
    bool end_value(const Token& token);
    bool take_string(std::string_view piece, std::size_t& at);
    bool take_special(unsigned char letter);
    bool take_escaped(unsigned char letter);
    bool begin_character(unsigned char lead);
    void begin(Inside inside);
    void keep(std::string_view text);
    [[nodiscard]] bool in_object() const {
        return depth_ > 0 && ((objects_ >> (depth_ - 1)) & 1U) != 0;
    }
    [[nodiscard]] bool wants_value() const {
        return expected_ == Expected::value || expected_ == Expected::value_or_close;
    }

    TokenTaker& taker_;
    Expected expected_ = Expected::value;
    Inside inside_ = Inside::nothing;
    bool first_piece_ = true;
    std::size_t depth_ = 0;
    std::uint64_t objects_ = 0;  // one bit per level: an object, or an array
    std::string text_;
    bool whole_ = true;
    bool escaped_ = false;         // the previous letter was a backslash
    int hex_left_ = 0;             // missing digits of an escape
    int tail_left_ = 0;            // missing bytes of a character
    unsigned char lowest_ = 0x80;  // limits of the next of these
    unsigned char highest_ = 0xbf;
};

}  // namespace reaper::scanner::json
