#include "agent/report/html/chart.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "agent/report/html/groups.hpp"
#include "agent/system/format.hpp"

namespace reaper::agent::html {

namespace {

constexpr std::size_t kMostDays = 31;
constexpr std::size_t kFamilies = 5;  // with a colour of their own; the others share one
constexpr std::size_t kMostRows = 100;
constexpr double kDay = 86400;   // seconds
constexpr double kHeight = 208;  // as the style has it
constexpr double kTop = 22;
constexpr double kBottom = 26;

std::string day_at(double epoch) {
    return time_text(epoch).substr(0, std::string_view("2026-01-31").size());
}

// A clock may be so wrong that a day has no name.
std::string day_of_month(const std::string& day) {
    const std::size_t before = std::string_view("2026-01-").size();
    return day.size() > before ? day.substr(before) : std::string();
}

// Oldest first, also those on which nothing was ended.
std::vector<std::string> days_of(const Period& period) {
    const double days = static_cast<double>(period.since.count()) / 1000 / kDay;
    const auto count = static_cast<std::size_t>(std::clamp(days, 1.0, kMostDays - 1.0)) + 1;
    std::vector<std::string> names;
    for (std::size_t back = count; back-- > 0;)
        names.push_back(day_at(period.now - static_cast<double>(back) * kDay));
    return names;
}

// Most ended first.
std::vector<std::string> families_of(const std::vector<Tally>& tallies) {
    std::map<std::string, std::size_t> ended;
    for (const Tally& tally : tallies) ended[tally.family] += tally.ended;
    std::vector<std::pair<std::size_t, std::string>> order;
    for (const auto& [family, count] : ended) {
        if (count > 0) order.emplace_back(count, family);
    }
    std::ranges::sort(order, std::ranges::greater{});
    std::vector<std::string> names;
    names.reserve(order.size());
    for (auto& [count, family] : order) names.push_back(std::move(family));
    return names;
}

using Stack = std::array<std::size_t, kFamilies + 1>;  // how many of each colour

std::map<std::string, Stack> stacks_of(const std::vector<Tally>& tallies,
                                       const std::vector<std::string>& families) {
    std::map<std::string, Stack> stacks;
    for (const Tally& tally : tallies) {
        const auto place = std::ranges::find(families, tally.family) - families.begin();
        stacks[tally.day][std::min(static_cast<std::size_t>(place), kFamilies)] += tally.ended;
    }
    return stacks;
}

std::size_t height_of(const Stack& stack) {
    std::size_t all = 0;
    for (const std::size_t count : stack) all += count;
    return all;
}

std::string percent(double part) {
    return coordinate(part * 100) + "%";
}

// Stripes, lines and dots, so that no one has to tell families by their colours.
Markup patterns() {
    return literal(R"(<defs>
<pattern id="p-1" width="6" height="6" patternUnits="userSpaceOnUse">
<path class="p1" d="M-1 7L7-1"/></pattern>
<pattern id="p-2" width="6" height="5" patternUnits="userSpaceOnUse">
<path class="p2" d="M0 2h6"/></pattern>
<pattern id="p-3" width="5" height="6" patternUnits="userSpaceOnUse">
<path class="p3" d="M2 0v6"/></pattern>
<pattern id="p-4" width="6" height="6" patternUnits="userSpaceOnUse">
<path class="p4" d="M-1-1L7 7"/></pattern>
</defs>)");
}

Markup box(std::size_t color, const std::string& x, double y, const std::string& width,
           double height) {
    const auto rect = [&](Literal name, const std::string& value) {
        return empty_element("rect", {{name, value},
                                      {"x", x},
                                      {"y", coordinate(y)},
                                      {"width", width},
                                      {"height", coordinate(height)}});
    };
    Markup drawn = rect("class", fmt::format("f{}", color));
    if (color > 0 && color < kFamilies) drawn += rect("fill", fmt::format("url(#p-{})", color));
    return drawn;
}

class Bars {
   public:
    Bars(const std::vector<Tally>& tallies, const Period& period)
        : days_(days_of(period)),
          families_(families_of(tallies)),
          stacks_(stacks_of(tallies, families_)) {
        for (const std::string& day : days_) most_ = std::max(most_, height_of(stacks_[day]));
    }

    [[nodiscard]] Markup draw() {
        Markup drawn =
            element("title", {{"id", "chart"}}, text("Helpers ended by day and family")) +
            element("desc", {{"id", "chart-d"}}, text(description(), 2000)) + patterns() +
            base_line();
        for (std::size_t at = 0; at < days_.size(); ++at) drawn += draw_day(at);
        return element("svg",
                       {{"class", "bars"},
                        {"role", "img"},
                        {"aria-labelledby", "chart"},
                        {"aria-describedby", "chart-d"}},
                       drawn);
    }

    [[nodiscard]] Markup legend() const {
        Markup items;
        for (std::size_t at = 0; at < std::min(families_.size(), kFamilies + 1); ++at) {
            const std::string name = at < kFamilies ? families_[at] : std::string("others");
            const Markup swatch = element(
                "svg",
                {{"class", "mark"}, {"width", "16"}, {"height", "16"}, {"aria-hidden", "true"}},
                box(at, "0", 0, "16", 16));
            items += element("li", swatch + text(name, 60));
        }
        return element("ul", {{"class", "legend"}}, items);
    }

    [[nodiscard]] bool empty() const { return most_ == 0; }

   private:
    [[nodiscard]] std::string description() const {
        std::string words;
        for (const std::string& day : days_) {
            const auto stack = stacks_.find(day);
            if (stack != stacks_.end() && height_of(stack->second) > 0)
                words += fmt::format("{}: {}. ", day, height_of(stack->second));
        }
        return words;
    }

    static Markup base_line() {
        return empty_element(
            "path", {{"class", "twig"}, {"d", fmt::format("M0 {}h4000", kHeight - kBottom)}});
    }

    [[nodiscard]] Markup draw_day(std::size_t at) {
        const auto count = static_cast<double>(days_.size());
        const double left = static_cast<double>(at) / count;
        const std::string middle = percent(left + 0.5 / count);
        const Stack& stack = stacks_[days_[at]];
        Markup drawn = element("title", text(fmt::format("{}: {}", days_[at], height_of(stack))));
        double y = kHeight - kBottom;
        for (std::size_t color = 0; color < stack.size(); ++color) {
            if (stack[color] == 0) continue;
            const double height = static_cast<double>(stack[color]) / static_cast<double>(most_) *
                                  (kHeight - kTop - kBottom);
            y -= height;
            drawn += box(color, percent(left + 0.14 / count), y, percent(0.72 / count),
                         std::max(1.0, height - 1));
        }
        if (height_of(stack) > 0)
            drawn += label(middle, y - 6, fmt::format("{}", height_of(stack)), "name");
        if (is_labelled(at)) drawn += label(middle, kHeight - 8, day_of_month(days_[at]), "note");
        return element("g", drawn);
    }

    static Markup label(const std::string& x, double y, const std::string& words, Literal style) {
        return element("text",
                       {{"class", std::string(style.view())},
                        {"text-anchor", "middle"},
                        {"x", x},
                        {"y", coordinate(y)}},
                       text(words));
    }

    // From the last day back, as many as a phone has room for.
    [[nodiscard]] bool is_labelled(std::size_t at) const {
        return days_.size() <= 15 || (days_.size() - 1 - at) % 3 == 0;
    }

    std::vector<std::string> days_;
    std::vector<std::string> families_;
    std::map<std::string, Stack> stacks_;
    std::size_t most_ = 0;
};

Markup cell(std::size_t number) {
    return element("td", {{"class", "number"}}, text(fmt::format("{}", number)));
}

Markup row_of(const Tally& tally) {
    return element("tr", element("th", {{"scope", "row"}}, text(tally.day)) +
                             element("td", text(tally.family, 60)) + cell(tally.ended) +
                             cell(tally.failed) + cell(tally.respawned) +
                             element("td", {{"class", "number"}},
                                     text(size_text(tally.reclaimed_bytes)))) +
           literal("\n");
}

}  // namespace

Markup chart_of(const std::vector<Tally>& tallies, const Period& period) {
    Bars bars(tallies, period);
    if (bars.empty()) return {};
    return element("div", {{"class", "card chart"}}, bars.legend() + bars.draw());
}

Markup table_of(const std::vector<Tally>& tallies) {
    if (tallies.empty()) return {};
    Markup rows;
    for (std::size_t at = 0; at < std::min(tallies.size(), kMostRows); ++at)
        rows += row_of(tallies[at]);
    Markup table = literal(R"(<caption>By day (UTC) and family</caption>
<thead><tr><th scope="col">Day</th><th scope="col">Family</th>
<th scope="col" class="number">Ended</th>
<th scope="col" class="number">Failed</th><th scope="col" class="number">Again</th>
<th scope="col" class="number">Memory</th></tr></thead>
)") + element("tbody", rows);
    Markup whole = element("table", table);
    if (tallies.size() > kMostRows)
        whole += element("p", {{"class", "lead"}},
                         text(fmt::format("and {} more rows: ", tallies.size() - kMostRows)) +
                             element("code", text("orphan-reaper history --json")));
    return whole;
}

}  // namespace reaper::agent::html
