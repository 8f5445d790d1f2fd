// Trees as SVG. Each is as wide as a phone, and a page puts as many beside each other as fit.
#include <algorithm>
#include <array>

#include "agent/report/html/tree.hpp"
#include "agent/report/text/process_line.hpp"
#include "agent/system/format.hpp"

namespace reaper::agent::html {

namespace {

constexpr std::size_t kMostTrees = 9;
constexpr std::size_t kMostTwigs = 10;
constexpr std::size_t kLongestDescription = 600;
constexpr double kWidth = 340;
constexpr double kRow = 52;     // the height of a twig
constexpr double kIndent = 20;  // of each depth
constexpr double kBar = 170;    // the most memory of a page
// The widest that a letter of a name and of a note is on average, in any font.
constexpr double kNameLetter = 7.9;
constexpr double kNoteLetter = 6.2;

// A drawing does not wrap its words, and what differs in a path stands at its ends.
std::string fit(const std::string& words, double letters) {
    const auto most = static_cast<std::size_t>(letters);
    if (words.size() <= most) return words;
    const std::size_t end = (most - 3) / 2;
    return words.substr(0, most - 3 - end) + "..." + words.substr(words.size() - end);
}

Markup words_at(Literal style, double x, double y, const std::string& words, double letter) {
    return element(
        "text", {{"class", std::string(style.view())}, {"x", coordinate(x)}, {"y", coordinate(y)}},
        text(fit(words, (kWidth - x) / letter)));
}

Markup name_at(double x, double y, const std::string& words) {
    return words_at("name", x, y, words, kNameLetter);
}

Markup note_at(double x, double y, const std::string& words) {
    return words_at("note", x, y, words, kNoteLetter);
}

std::string note_of(const Group& group) {
    const policy::Judgement& judgement = group.members.front()->judgement;
    return fmt::format("{}, {}: {}", size_text(memory_bytes(group)), word_of(group.mark),
                       verdict_words(judgement.verdict));
}

Markup bar_at(const Group& group, double x, double y, std::uint64_t most) {
    const double part =
        most == 0 ? 0 : static_cast<double>(memory_bytes(group)) / static_cast<double>(most);
    const double width = std::max(2.0, part * kBar);
    const auto bar = [&](const std::string& style, double length) {
        return empty_element("rect", {{"class", style},
                                      {"x", coordinate(x)},
                                      {"y", coordinate(y)},
                                      {"width", coordinate(length)},
                                      {"height", "4"},
                                      {"rx", "2"}});
    };
    return bar("track", kBar) + bar("fill " + class_of(group.mark), width);
}

// Lines from what a twig hangs on. `from`: where that is, by depth.
Markup branch(double from, double x, double y) {
    return empty_element("path",
                         {{"class", "twig"},
                          {"d", fmt::format("M{0} {1}V{2}H{3}", coordinate(x), coordinate(from),
                                            coordinate(y), coordinate(x + kIndent - 4))}});
}

Markup draw_twig(const Report& report, const Twig& twig, double top, double from,
                 std::uint64_t most) {
    const double x = 12 + static_cast<double>(twig.depth) * kIndent;
    const double mark = x + kIndent - 4;
    const double words = mark + 24;
    const std::string title = title_of(report, twig.group);
    const Markup drawn = branch(from, x, top + 16) + mark_at(twig.group.mark, mark, top + 8) +
                         name_at(words, top + 20, title) +
                         note_at(words, top + 36, note_of(twig.group)) +
                         bar_at(twig.group, words, top + 42, most);
    return element("g", element("title", text(title, 120)) + drawn);
}

Markup draw_host(const Tree& tree) {
    const Markup icon =
        tree.mark
            ? mark_at(*tree.mark, 4, 6)
            : empty_element(
                  "use",
                  {{"href", "#m-host"}, {"x", "4"}, {"y", "6"}, {"width", "16"}, {"height", "16"}});
    return icon + name_at(28, 18, tree.name) + note_at(28, 34, tree.note);
}

std::string describe(const Report& report, const Tree& tree) {
    std::string words = tree.note + ":";
    for (const Twig& twig : tree.twigs)
        words += fmt::format(" {}, {};", title_of(report, twig.group), note_of(twig.group));
    words.back() = '.';
    return words;
}

Markup draw_tree(const Report& report, const Tree& tree, const std::string& id,
                 std::uint64_t most) {
    const std::size_t shown = std::min(tree.twigs.size(), kMostTwigs);
    constexpr double kTop = 40;
    Markup drawn =
        element("title", {{"id", id}}, text(tree.name)) +
        element("desc", {{"id", id + "-d"}}, text(describe(report, tree), kLongestDescription)) +
        draw_host(tree);
    // Where the line to the next twig of each depth begins.
    std::array<double, 6> from{};
    from.fill(24);
    for (std::size_t at = 0; at < shown; ++at) {
        const Twig& twig = tree.twigs[at];
        const double top = kTop + static_cast<double>(at) * kRow;
        drawn += draw_twig(report, twig, top, from[twig.depth], most);
        from[twig.depth] = top + 16;
        from[twig.depth + 1] = top + 26;
    }
    double height = kTop + static_cast<double>(shown) * kRow;
    if (shown < tree.twigs.size()) {
        drawn += note_at(28, height + 14,
                         fmt::format("and {} more, see below", tree.twigs.size() - shown));
        height += 22;
    }
    return element("div", {{"class", "card tree"}},
                   element("svg",
                           {{"role", "img"},
                            {"aria-labelledby", id},
                            {"aria-describedby", id + "-d"},
                            {"viewBox", fmt::format("0 0 {} {}", kWidth, height)}},
                           drawn));
}

Markup legend(const std::vector<Tree>& trees) {
    Markup items;
    for (const Mark mark : {Mark::failed, Mark::leaked, Mark::look, Mark::kept, Mark::ended}) {
        const bool used = std::ranges::any_of(trees, [mark](const Tree& tree) {
            return std::ranges::any_of(tree.twigs,
                                       [&](const Twig& twig) { return twig.group.mark == mark; });
        });
        if (used) items += element("li", mark_icon(mark) + text(word_of(mark)));
    }
    return element("ul", {{"class", "legend"}}, items);
}

std::uint64_t most_memory(const std::vector<Tree>& trees) {
    std::uint64_t most = 0;
    for (const Tree& tree : trees) {
        for (const Twig& twig : tree.twigs) most = std::max(most, memory_bytes(twig.group));
    }
    return most;
}

}  // namespace

Markup draw(const Report& report, const std::vector<Tree>& trees) {
    if (trees.empty()) return {};
    const std::uint64_t most = most_memory(trees);
    Markup drawn;
    for (std::size_t at = 0; at < std::min(trees.size(), kMostTrees); ++at)
        drawn += draw_tree(report, trees[at], fmt::format("tree-{}", at), most);
    Markup all = legend(trees) + element("div", {{"class", "trees"}}, drawn);
    if (trees.size() > kMostTrees)
        all += element("p", {{"class", "lead"}},
                       text(fmt::format("and {} more hosts", trees.size() - kMostTrees)));
    return all;
}

}  // namespace reaper::agent::html
