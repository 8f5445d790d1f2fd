#include "agent/report/text/layout.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "agent/report/headline.hpp"
#include "agent/system/format.hpp"
#include "policy/text/escape.hpp"

namespace reaper::agent {

namespace {

constexpr std::size_t kMostRemarks = 20;
constexpr std::size_t kIndent = 9;      // under the column of the pids
constexpr std::size_t kNarrowest = 20;  // columns
constexpr std::size_t kTableWidth = 60;

std::size_t indent_of(const RenderOptions& options) {
    return has_columns(options) ? kIndent : 2;
}

}  // namespace

bool has_columns(const RenderOptions& options) {
    return options.width >= kTableWidth;
}

std::string paragraph(std::string_view text, const RenderOptions& options) {
    std::string lines;
    const std::size_t width = std::max(options.width, kNarrowest) - indent_of(options);
    for (const std::string& line : wrap(text, width))
        lines += fmt::format("{:{}}{}\n", "", indent_of(options), line);
    return lines;
}

std::string top_line(const std::string& text, Style style, const RenderOptions& options) {
    if (has_columns(options)) return colorize(text, style, options.color) + "\n";
    std::string lines;
    for (const std::string& line : wrap(text, std::max(options.width, kNarrowest))) {
        lines += colorize(line, style, options.color) + "\n";
    }
    return lines;
}

std::string remarks_text(const std::vector<std::string>& remarks, const RenderOptions& options) {
    std::string text;
    const std::size_t shown =
        options.verbose ? remarks.size() : std::min(remarks.size(), kMostRemarks);
    for (std::size_t i = 0; i < shown; ++i) {
        const std::string mark = colorize("!", Style::warning, options.color);
        std::string lead = mark + " ";
        for (const std::string& line :
             wrap(policy::escape(remarks[i], 1000), std::max(options.width, kNarrowest) - 2)) {
            text += fmt::format("{}{}\n", lead, line);
            lead = "  ";
        }
    }
    if (shown < remarks.size())
        text += fmt::format("! ... and {} more: --verbose lists all\n", remarks.size() - shown);
    return text.empty() ? text : "\n" + text;
}

std::string quiet_text(const Report& report, const std::string& headline,
                       const RenderOptions& options) {
    if (report.exit_status == ExitStatus::clean) return {};
    return top_line(only_line(report, headline), headline_style(report.exit_status), options);
}

std::string closing_text(const Report& report, const RenderOptions& options) {
    std::string text = remarks_text(report.remarks, options);
    if (report.exit_status == ExitStatus::clean) return text;
    const bool only_files =
        report.command == "pidfiles" && report.exit_status == ExitStatus::leaks_left;
    const std::string last = only_files ? "exit status 1: stale files were found and left"
                                        : exit_line(report.exit_status);
    return text + (text.empty() ? "\n" : "") + last + "\n";
}

Style headline_style(ExitStatus status) {
    if (status == ExitStatus::clean) return Style::good;
    return status == ExitStatus::leaks_left ? Style::strong : Style::bad;
}

}  // namespace reaper::agent
