// HTML that cannot be broken by what processes say of themselves. Markup is made by these functions
// only: names of elements and attributes are literals, which only the compiler can pass on, and all
// else is escaped.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "policy/text/escape.hpp"

namespace reaper::agent::html {

// Text that stands in the source of this program.
class Literal {
   public:
    consteval Literal(const char* text) : text_(text) {}
    [[nodiscard]] constexpr std::string_view view() const { return text_; }

   private:
    std::string_view text_;
};

struct Attribute {
    Literal name;
    std::string value;  // of any bytes
};
using Attributes = std::initializer_list<Attribute>;

// A part of a page: printable ASCII and newlines, in which every element is closed.
class Markup {
   public:
    Markup() = default;
    Markup& operator+=(const Markup& more);
    [[nodiscard]] bool empty() const { return text_.empty(); }
    [[nodiscard]] std::size_t size() const { return text_.size(); }
    [[nodiscard]] const std::string& str() const { return text_; }

   private:
    friend Markup literal(Literal markup);
    friend Markup text(std::string_view words, std::size_t longest);
    friend Markup element(Literal name, Attributes attributes, const Markup& content);
    friend Markup empty_element(Literal name, Attributes attributes);

    std::string text_;
};

// Returns markup as it stands in the source.
[[nodiscard]] Markup literal(Literal markup);
// Returns words that a browser shows as they are, whatever bytes they consist of: what is not
// printable ASCII reads \xNN. Longer than `longest`, they end in "...".
[[nodiscard]] Markup text(std::string_view words, std::size_t longest = policy::kLongestShown);
[[nodiscard]] Markup element(Literal name, Attributes attributes, const Markup& content);
[[nodiscard]] Markup element(Literal name, const Markup& content);
// One without an end: <meta>, and those of SVG that have no content.
[[nodiscard]] Markup empty_element(Literal name, Attributes attributes);

[[nodiscard]] Markup operator+(Markup left, const Markup& right);

// A number in an attribute, such as a coordinate: "12.5".
[[nodiscard]] std::string coordinate(double number);

}  // namespace reaper::agent::html
