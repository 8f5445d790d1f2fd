#include "agent/report/html/markup.hpp"

#include <utility>

namespace reaper::agent::html {

namespace {

constexpr std::size_t kLongestValue = 1000;  // of an attribute

void append_escaped(std::string& safe, std::string_view words, std::size_t longest) {
    for (const char c : policy::escape(words, longest)) {
        switch (c) {
            case '&': safe += "&amp;"; break;
            case '<': safe += "&lt;"; break;
            case '>': safe += "&gt;"; break;
            case '"': safe += "&quot;"; break;
            case '\'': safe += "&#39;"; break;
            default: safe += c;
        }
    }
}

void append_tag(std::string& page, Literal name, Attributes attributes) {
    page += '<';
    page += name.view();
    for (const Attribute& attribute : attributes) {
        page += ' ';
        page += attribute.name.view();
        page += "=\"";
        append_escaped(page, attribute.value, kLongestValue);
        page += '"';
    }
    page += '>';
}

}  // namespace

Markup& Markup::operator+=(const Markup& more) {
    text_ += more.text_;
    return *this;
}

Markup literal(Literal markup) {
    Markup made;
    made.text_ = markup.view();
    return made;
}

Markup text(std::string_view words, std::size_t longest) {
    Markup made;
    append_escaped(made.text_, words, longest);
    return made;
}

Markup element(Literal name, Attributes attributes, const Markup& content) {
    Markup made;
    append_tag(made.text_, name, attributes);
    made.text_ += content.text_;
    made.text_ += "</";
    made.text_ += name.view();
    made.text_ += '>';
    return made;
}

Markup element(Literal name, const Markup& content) {
    return element(name, {}, content);
}

Markup empty_element(Literal name, Attributes attributes) {
    Markup made;
    append_tag(made.text_, name, attributes);
    made.text_.back() = '/';
    made.text_ += '>';
    return made;
}

Markup operator+(Markup left, const Markup& right) {
    left += right;
    return left;
}

std::string coordinate(double number) {
    std::string digits = fmt::format("{:.1f}", number);
    if (digits.ends_with(".0")) digits.resize(digits.size() - 2);
    return digits;
}

}  // namespace reaper::agent::html
