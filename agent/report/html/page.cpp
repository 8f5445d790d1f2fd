#include "agent/report/html/page.hpp"

#include <algorithm>

#include "agent/report/html/style.hpp"
#include "agent/system/format.hpp"

namespace reaper::agent::html {

namespace {

constexpr std::size_t kLongestSentence = 2000;
constexpr std::size_t kMostRemarks = 20;
constexpr std::size_t kLongestRemark = 600;

// default-src 'none': even if something slipped through the escaping, the browser would not run or
// fetch it.
constexpr std::string_view kTop = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
)";

Markup link_to(const Section& section) {
    Markup words = text(section.title);
    if (section.count > 0) words += element("b", text(fmt::format("{}", section.count)));
    return element("li", element("a", {{"href", fmt::format("#{}", section.id.view())}}, words));
}

Markup navigation(const Page& page) {
    Markup links;
    for (const Section& section : page.sections) {
        if (!section.content.empty()) links += link_to(section);
    }
    return element("nav", {{"aria-label", "Sections"}}, element("ul", links));
}

Markup top_of(const Page& page) {
    const Markup brand = element("p", {{"class", "brand"}},
                                 element("b", text("orphan-reaper")) + text(" " + page.what));
    const Markup headline =
        element("h1", mark_icon(page.mark) + text(page.headline, kLongestSentence));
    const Markup facts = element("p", {{"class", "facts"}}, page.facts);
    return element(
        "header", {{"class", "top"}},
        element("div", {{"class", "wide"}}, brand + headline + facts + navigation(page)));
}

Markup render(const Section& section) {
    if (section.content.empty()) return {};
    Markup inner = element("h2", text(section.title));
    if (!section.lead.empty())
        inner += element("p", {{"class", "lead"}}, text(section.lead, kLongestSentence));
    return element("section", {{"id", std::string(section.id.view())}}, inner + section.content) +
           literal("\n");
}

}  // namespace

std::string render(const Page& page) {
    Markup main = page.opening;
    for (const Section& section : page.sections) main += render(section);
    const Markup body =
        element("a", {{"class", "skip"}, {"href", "#main"}}, text("Skip to the findings")) +
        mark_shapes() + top_of(page) + element("main", {{"id", "main"}, {"class", "wide"}}, main) +
        element("footer", element("p", {{"class", "wide"}}, text(page.last_line)));
    std::string document(kTop);
    document += element("title", text(page.title)).str();
    document += "\n<style>";
    document += style_sheet();
    document += "</style>\n</head>\n";
    document += element("body", body).str();
    document += "\n</html>\n";
    return document;
}

Markup time_markup(double epoch) {
    const std::string exact = time_text(epoch);
    std::string words = exact.substr(0, std::string_view("2026-01-31T12:00").size());
    const std::size_t between = words.find('T');
    if (between == std::string::npos) return text(exact);
    words[between] = ' ';
    return element("time", {{"datetime", exact}}, text(words + " UTC"));
}

Markup remarks_box(const std::vector<std::string>& remarks) {
    if (remarks.empty()) return {};
    Markup items;
    for (std::size_t at = 0; at < std::min(remarks.size(), kMostRemarks); ++at)
        items += element("li", text(remarks[at], kLongestRemark));
    if (remarks.size() > kMostRemarks)
        items += element("li", text(fmt::format("and {} more", remarks.size() - kMostRemarks)));
    return element("section", {{"class", "card remarks"}},
                   element("h2", text("Good to know")) + element("ul", items));
}

Markup facts_card(const std::vector<Fact>& facts) {
    Markup rows;
    for (const Fact& fact : facts) {
        if (!fact.value.empty()) rows += element("dt", text(fact.name)) + element("dd", fact.value);
    }
    return element("dl", {{"class", "card about"}}, rows);
}

}  // namespace reaper::agent::html
