#include "policy/rules/json_text.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "policy/text/escape.hpp"

namespace reaper::policy {

namespace {

using nlohmann::json;

// Counts how far the parser has read, as the SAX events of nlohmann have no positions.
class CountingIterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    CountingIterator(const char* at, const char** reached) : at_(at), reached_(reached) {}
    reference operator*() const { return *at_; }
    CountingIterator& operator++() {
        *reached_ = ++at_;
        return *this;
    }
    CountingIterator operator++(int) {
        CountingIterator before = *this;
        ++*this;
        return before;
    }
    bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
    bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

   private:
    const char* at_;
    const char** reached_;
};

// Records where every key and every list element begins.
class Places : public nlohmann::json_sax<json> {
   public:
    Places(std::string_view text, const char** reached) : text_(text), reached_(reached) {}

    bool null() override { return element(start_of_word()); }
    bool boolean(bool /*value*/) override { return element(start_of_word()); }
    bool number_integer(number_integer_t /*value*/) override { return element(start_of_word()); }
    bool number_unsigned(number_unsigned_t /*value*/) override { return element(start_of_word()); }
    bool number_float(number_float_t /*value*/, const string_t& /*text*/) override {
        return element(start_of_word());
    }
    bool string(string_t& /*value*/) override { return element(start_of_string()); }
    bool binary(binary_t& /*value*/) override { return element(consumed()); }
    bool start_object(std::size_t /*size*/) override { return enter(); }
    bool start_array(std::size_t /*size*/) override {
        const bool fine = enter();
        levels_.back().next = 0;
        return fine;
    }
    bool end_object() override { return leave(); }
    bool end_array() override { return leave(); }
    bool key(string_t& name) override {
        levels_.back().member = member_pointer(levels_.back().pointer, name);
        const auto [at, is_new] = offsets.emplace(levels_.back().member, start_of_string());
        if (!is_new)
            mistake =
                place_of(text_, start_of_string()) + ": \"" + escape(name) + "\" stands here twice";
        return is_new;
    }
    bool parse_error(std::size_t position, const std::string& /*token*/,
                     const json::exception& error) override {
        std::string_view what =
            error
                .what();  // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
        const std::size_t colon = what.find(": ");
        if (colon != std::string_view::npos) what.remove_prefix(colon + 2);
        mistake = place_of(text_, position == 0 ? 0 : position - 1) +
                  ": this is no JSON: " + escape(what);
        return false;
    }

    std::map<std::string, std::size_t> offsets;
    std::string mistake;

   private:
    struct Level {
        std::string pointer;
        std::string member;  // of an object: the member that is being read
        int next = -1;       // of a list: the next index
    };

    bool element(std::size_t start) {
        if (!levels_.empty() && levels_.back().next >= 0) offsets.emplace(here(), start);
        step();
        return true;
    }
    bool enter() {
        const std::string pointer = here();
        offsets.emplace(pointer, consumed() - 1);
        levels_.push_back({pointer, {}, -1});
        return levels_.size() < 64;
    }
    bool leave() {
        levels_.pop_back();
        step();
        return true;
    }
    void step() {
        if (!levels_.empty() && levels_.back().next >= 0) ++levels_.back().next;
    }
    std::string here() const {
        if (levels_.empty()) return {};
        const Level& level = levels_.back();
        return level.next >= 0 ? level.pointer + "/" + std::to_string(level.next) : level.member;
    }
    std::size_t consumed() const { return static_cast<std::size_t>(*reached_ - text_.data()); }
    // Finds the start of a number, true, false or null. A number was read one byte too far, to see
    // its end.
    std::size_t start_of_word() const {
        constexpr std::string_view kLetters = "0123456789+-.Eaeflnrstu";
        std::size_t at = consumed();
        if (at > 0 && kLetters.find(text_[at - 1]) == std::string_view::npos) --at;
        while (at > 0 && kLetters.find(text_[at - 1]) != std::string_view::npos) --at;
        return at;
    }
    // Finds the start of a string, which was read up to its closing quote; quotes inside are
    // escaped.
    std::size_t start_of_string() const {
        std::size_t at = consumed() - 1;
        while (at > 0 && (text_[at - 1] != '"' || (at > 1 && text_[at - 2] == '\\'))) --at;
        return at == 0 ? 0 : at - 1;
    }

    std::string_view text_;
    const char** reached_;
    std::vector<Level> levels_;
};

// True for the first byte of a UTF-8 character: editors count characters as columns.
bool starts_letter(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

}  // namespace

std::string member_pointer(const std::string& pointer, const std::string& key) {
    std::string escaped;
    for (const char letter : key) {
        if (letter == '~')
            escaped += "~0";
        else if (letter == '/')
            escaped += "~1";
        else
            escaped += letter;
    }
    return pointer + "/" + escaped;
}

std::string place_of(std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, std::min(offset, text.size()));
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    std::string_view in_line = before.substr(before.rfind('\n') + 1);
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (line == 1 && in_line.starts_with(kByteOrderMark))
        in_line.remove_prefix(kByteOrderMark.size());
    const auto column = std::ranges::count_if(in_line, starts_letter) + 1;
    return std::to_string(line) + ":" + std::to_string(column);
}

tl::expected<JsonText, std::string> parse_json_text(std::string_view text) {
    // The parser takes a NUL for the end and would silently ignore the rest.
    const std::size_t nul = text.find('\0');
    if (nul != std::string_view::npos)
        return tl::unexpected(place_of(text, nul) + ": this is no JSON: a NUL byte");
    const char* reached = text.data();
    Places places(text, &reached);
    const bool fine = json::sax_parse(CountingIterator(text.data(), &reached),
                                      CountingIterator(text.data() + text.size(), &reached),
                                      &places, json::input_format_t::json, true, true);
    const auto at = static_cast<std::size_t>(reached - text.data());
    if (!fine)
        return tl::unexpected(places.mistake.empty()
                                  ? place_of(text, at - 1) + ": nested too deeply"
                                  : places.mistake);
    return JsonText{nlohmann::ordered_json::parse(text, nullptr, false, true),
                    std::move(places.offsets)};
}

}  // namespace reaper::policy
