// The rules for a tired operator: what would be ended comes first.
#include <algorithm>

#include <fmt/format.h>

#include "agent/report/rules_view.hpp"
#include "agent/report/text/color.hpp"
#include "agent/report/text/process_line.hpp"
#include "agent/system/format.hpp"
#include "policy/text/duration.hpp"
#include "policy/text/escape.hpp"

namespace reaper::agent {

namespace {

using policy::Action;
using policy::duration_text;
using policy::escape;
using policy::FamilyRule;

constexpr std::size_t kColumn = 19;     // of what is said about a family
constexpr std::size_t kNarrowest = 40;  // columns

enum class Group { ended, reported, kept, off };

struct Section {
    Group group;
    std::string_view title;
    Style style;
};
constexpr Section kSections[] = {{Group::ended, "ENDED WHEN LEAKED", Style::bad},
                                 {Group::reported, "ONLY REPORTED", Style::warning},
                                 {Group::kept, "RECOGNISED, NEVER ENDED", Style::good},
                                 {Group::off, "OFF", Style::faint}};

Group group_of(const FamilyRule& rule) {
    if (!rule.enabled) return Group::off;
    if (rule.keep_as) return Group::kept;
    const bool ends = std::ranges::any_of(
        rule.actions, [](const auto& entry) { return entry.second == Action::reap; });
    return ends ? Group::ended : Group::reported;
}

// "name               text, broken into lines that stand below each other"
std::string row(std::string_view name, std::string_view text, const RenderOptions& options) {
    std::string lines;
    for (const std::string& line : wrap(text, std::max(options.width, kNarrowest) - kColumn - 2)) {
        lines += fmt::format("  {:<{}}{}\n", lines.empty() ? name : "", kColumn, line);
    }
    return lines;
}

std::string verdicts_with(const FamilyRule& rule, Action action) {
    std::vector<std::string_view> words;
    for (const auto& [verdict, chosen] : rule.actions) {
        if (chosen == action) words.push_back(to_string(verdict));
    }
    return fmt::format("{}", fmt::join(words, ", "));
}

std::string actions_text(const FamilyRule& rule) {
    std::string text;
    const auto add = [&](std::string_view verb, Action action) {
        const std::string verdicts = verdicts_with(rule, action);
        if (!verdicts.empty())
            text += fmt::format("{}{} {}", text.empty() ? "" : "; ", verb, verdicts);
    };
    add("ends", Action::reap);
    add("reports", Action::report);
    add("keeps", Action::keep);
    const bool all_alike = text.find(';') == std::string::npos;
    return all_alike ? text.substr(0, text.find(' ')) + " every leak" : text;
}

std::string what_is_done(const FamilyRule& rule) {
    switch (group_of(rule)) {
        case Group::ended:
        case Group::reported: return actions_text(rule);
        case Group::kept: return fmt::format("kept as {}", to_string(*rule.keep_as));
        case Group::off: break;
    }
    const std::string name = escape(rule.pack.empty() ? rule.name : rule.pack, 60);
    return rule.listed && !rule.pack.empty()
               ? fmt::format("listed apart by report; switched on by --with {}", name)
               : fmt::format("switched on by --family {}", name);
}

std::string times_text(const FamilyRule& rule) {
    std::string text = fmt::format("left alone below an age of {}", duration_text(rule.start_up));
    if (group_of(rule) == Group::ended) {
        text += fmt::format("; KILL {} after TERM, up to {} while a database is written",
                            duration_text(rule.grace), duration_text(rule.grace_cap));
    }
    return text;
}

std::string family_text(const RulesView& view, const FamilyRule& rule,
                        const RenderOptions& options) {
    const RuleOrigin& origin = view.origins.at(rule.name);
    std::string text = row(escape(rule.name, 60), what_is_done(rule), options);
    for (const policy::Role& role : rule.roles) {
        if (!role.keep_as) continue;
        text += row(
            "",
            fmt::format("its {} is kept as {}", escape(role.name, 60), to_string(*role.keep_as)),
            options);
    }
    const bool judged = group_of(rule) == Group::ended || group_of(rule) == Group::reported;
    if (judged) text += row("", times_text(rule), options);
    const std::string pack =
        rule.pack.empty() ? std::string() : fmt::format("pack {}; ", escape(rule.pack, 60));
    text += row("", fmt::format("{}from {}", pack, escape(origin.from)), options);
    for (const auto& [setting, file] : origin.settings) {
        text += row("", fmt::format("{} from {}", setting, escape(file)), options);
    }
    return text;
}

std::string section_text(const RulesView& view, const Section& section,
                         const RenderOptions& options) {
    std::string text;
    for (const FamilyRule& rule : view.rules.families) {
        if (group_of(rule) == section.group) text += family_text(view, rule, options);
    }
    return text.empty() ? text
                        : fmt::format("\n{}\n{}",
                                      colorize(section.title, section.style, options.color), text);
}

std::string protect_text(const policy::ProtectRule& rule) {
    std::vector<std::string> parts;
    if (!rule.exe.empty()) parts.push_back("exe " + escape(rule.exe));
    if (!rule.arguments.empty())
        parts.push_back("arguments " + escape(fmt::format("{}", fmt::join(rule.arguments, " "))));
    if (!rule.home.empty()) parts.push_back("home " + escape(rule.home));
    return fmt::format("{}", fmt::join(parts, "; "));
}

std::string sources_text(const RulesView& view) {
    std::string text = "\nread in this order, the last one counts:\n  built-in\n";
    for (const std::string& file : view.files) text += fmt::format("  {}\n", escape(file));
    for (const std::string& folder : view.folders) {
        const bool used = std::ranges::any_of(
            view.files, [&](const auto& file) { return file.starts_with(folder + "/"); });
        if (!used) text += fmt::format("  (no rule file in {})\n", escape(folder));
    }
    return text;
}

std::string change_text(const policy::RuleChange& change, const RenderOptions& options) {
    if (change.family.empty()) return row("protect", "also " + escape(change.is, 2000), options);
    const std::string family = escape(change.family, 60);
    if (change.setting.empty()) return row(family, "a new family", options);
    const std::string was = change.was.empty() ? std::string("none") : escape(change.was);
    return row(family, fmt::format("{}: {}, was {}", change.setting, escape(change.is), was),
               options);
}

std::string process_text(const ReportedProcess& process, const RenderOptions& options) {
    const std::string what = fmt::format("{}, {}: {}", to_string(process.judgement.verdict),
                                         to_string(process.judgement.action), why(process));
    return fmt::format("  {} {}\n", process.facts.row.pid, kind_text(process)) +
           row("", what, options);
}

std::string matches_text(std::size_t count) {
    if (count == 0) return "with it, no process matches\n";
    return count == 1 ? "with it, 1 process matches:\n"
                      : fmt::format("with it, {} processes match:\n", count);
}

}  // namespace

std::string render_rules_text(const RulesView& view, const RenderOptions& options) {
    if (options.quiet) return {};
    const auto on = std::ranges::count_if(view.rules.families, &FamilyRule::enabled);
    std::string text = fmt::format("{} families, {} of them on\n", view.rules.families.size(), on);
    for (const Section& section : kSections) text += section_text(view, section, options);
    if (!view.rules.protect.empty())
        text += fmt::format("\n{}\n", colorize("PROTECTED, ALWAYS", Style::good, options.color));
    for (const policy::ProtectRule& rule : view.rules.protect) {
        text += row("protect", fmt::format("{}; from {}", protect_text(rule), escape(rule.origin)),
                    options);
    }
    return text + sources_text(view);
}

std::string render_check_text(const RulesCheck& check, const RenderOptions& options) {
    if (options.quiet) return {};
    const std::string file = escape(check.file);
    std::string text = fmt::format("{} is a good rule file{}\n", file,
                                   check.in_effect ? ", and in effect already" : "");
    text += check.changes.empty() ? "\nit changes nothing\n" : "\nit changes:\n";
    for (const policy::RuleChange& change : check.changes) text += change_text(change, options);
    const Report& report = check.report;
    if (report.count.seen > 0) text += "\n" + matches_text(report.processes.size());
    for (const ReportedProcess& process : report.processes) text += process_text(process, options);
    for (const std::string& remark : report.remarks)
        text += fmt::format("! {}\n", escape(remark, 1000));
    return text;
}

}  // namespace reaper::agent
