#include "scanner/json/text_at.hpp"

#include <algorithm>
#include <utility>

#include "scanner/json/stream.hpp"

namespace reaper::scanner::json {

namespace {

class TextTaker : public TokenTaker {
   public:
    explicit TextTaker(std::span<const std::string_view> path) : path_(path) {}

    [[nodiscard]] bool take(const Token& token) override {
        using enum TokenKind;
        const bool named = std::exchange(is_named_, false);
        if (named && entered_ + 1 == path_.size()) return take_text(token);
        if (token.kind == key) {
            is_named_ = depth_ == entered_ + 1 && token.text == path_[entered_];
        } else if (token.kind == open_object || token.kind == open_array) {
            if (named && token.kind == open_object) ++entered_;
            return ++depth_ > 1 || token.kind == open_object;
        } else if (token.kind == close) {
            --depth_;
            entered_ = std::min(entered_, depth_ > 0 ? depth_ - 1 : 0);
        }
        return depth_ > 0 || token.kind == close;
    }

    std::optional<std::string> text;

   private:
    [[nodiscard]] bool take_text(const Token& token) {
        if (token.kind != TokenKind::string || !token.whole || text) return false;
        text = token.text;
        return true;
    }

    std::span<const std::string_view> path_;
    std::size_t depth_ = 0;
    std::size_t entered_ = 0;  // objects of the path that the parser is inside of
    bool is_named_ = false;    // the next value is the one of the next key of the path
};

}  // namespace

Result<std::optional<std::string>> text_at(std::string_view json,
                                           std::span<const std::string_view> path) {
    TextTaker taker(path);
    Stream stream(taker);
    auto read = stream.feed(json);
    if (read) read = stream.finish();
    if (!read) return failure(std::errc::invalid_argument, "find a text in", "a JSON file");
    return std::move(taker.text);
}

}  // namespace reaper::scanner::json
