#include <algorithm>

#include <fmt/format.h>

#include "agent/doctor/view.hpp"
#include "agent/report/text/color.hpp"
#include "agent/system/format.hpp"
#include "policy/text/escape.hpp"

namespace reaper::agent {

namespace {

constexpr std::size_t kColumn = 6;  // of the message
constexpr std::size_t kNarrowest = 40;
constexpr std::size_t kMostText = 2000;

std::string status_word(FindingStatus status, bool color) {
    switch (status) {
        case FindingStatus::ok: return colorize("ok  ", Style::good, color);
        case FindingStatus::warn: return colorize("WARN", Style::warning, color);
        case FindingStatus::fail: return colorize("FAIL", Style::bad, color);
        case FindingStatus::skip: break;
    }
    return colorize("skip", Style::faint, color);
}

std::string value_text(const FactValue& value) {
    if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "yes" : "no";
    if (const auto* number = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *number);
    if (const auto* text = std::get_if<std::string>(&value))
        return text->empty() ? "none" : policy::escape(*text, kMostText);
    if (const auto* list = std::get_if<std::vector<std::string>>(&value))
        return list->empty() ? "none"
                             : policy::escape(fmt::format("{}", fmt::join(*list, ", ")), kMostText);
    return "not known";
}

std::string facts_text(const Finding& finding) {
    std::string text;
    for (const auto& [name, value] : finding.facts)
        text += fmt::format("{:{}}{}: {}\n", "", kColumn, name, value_text(value));
    return text;
}

// A command is never broken: it is there to be copied.
std::string finding_text(const Finding& finding, const RenderOptions& options) {
    std::string text;
    const std::string message =
        fmt::format("{}: {}", finding.id, policy::escape(finding.message, kMostText));
    for (const std::string& line : wrap(message, std::max(options.width, kNarrowest) - kColumn))
        text += text.empty()
                    ? fmt::format("{}  {}\n", status_word(finding.status, options.color), line)
                    : fmt::format("{:{}}{}\n", "", kColumn, line);
    if (!finding.fix.empty())
        text += fmt::format("{:{}}-> {}\n", "", kColumn, policy::escape(finding.fix, kMostText));
    return options.verbose ? text + facts_text(finding) : text;
}

std::string closing_line(const DoctorView& view) {
    const FindingCount counted = count(view.findings);
    if (counted.fail + counted.warn == 0 && view.exit_status == ExitStatus::clean)
        return "this machine is in order\n";
    std::string text =
        fmt::format("{} failed, {}\n", counted.fail, count_text(counted.warn, "warning"));
    if (view.exit_status == ExitStatus::incomplete) text = "it could not be looked at; " + text;
    return text;
}

bool is_to_blame(const DoctorView& view, const Finding& finding) {
    return finding.status == FindingStatus::fail ||
           (view.strict && finding.status == FindingStatus::warn);
}

std::string quiet_text(const DoctorView& view) {
    if (view.exit_status == ExitStatus::clean) return {};
    const auto first = std::ranges::find_if(
        view.findings, [&](const Finding& finding) { return is_to_blame(view, finding); });
    if (first == view.findings.end()) return closing_line(view);
    return fmt::format("{}: {}\n", first->id, policy::escape(first->message, kMostText));
}

}  // namespace

std::string render_doctor(const DoctorView& view, const RenderOptions& options) {
    if (options.quiet) return quiet_text(view);
    std::string text;
    for (const Finding& finding : view.findings) text += finding_text(finding, options);
    return text + "\n" + closing_line(view);
}

}  // namespace reaper::agent
