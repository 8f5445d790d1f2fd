#include "scanner/json/package_json.hpp"

#include "scanner/json/stream.hpp"

namespace reaper::scanner {

namespace {

// Takes the name from the first level of one object.
class NameTaker : public json::TokenTaker {
   public:
    [[nodiscard]] bool take(const json::Token& token) override {
        using enum json::TokenKind;
        const bool named = is_name_ && depth_ == 1;
        is_name_ = token.kind == key && depth_ == 1 && token.text == "name";
        if (named && (token.kind != string || !token.whole || name)) return false;
        if (named) name = token.text;
        if (token.kind == open_object || token.kind == open_array)
            return ++depth_ > 1 || token.kind == open_object;
        if (token.kind == close) --depth_;
        return depth_ > 0 || token.kind == close;
    }

    std::optional<std::string> name;

   private:
    std::size_t depth_ = 0;
    bool is_name_ = false;
};

}  // namespace

Result<std::optional<std::string>> parse_package_name(std::string_view text) {
    NameTaker taker;
    json::Stream stream(taker);
    auto read = stream.feed(text);
    if (read) read = stream.finish();
    if (!read) return failure(std::errc::invalid_argument, "parse", "package.json");
    return std::move(taker.name);
}

}  // namespace reaper::scanner
