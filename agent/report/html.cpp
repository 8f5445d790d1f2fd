#include <array>

#include <fmt/format.h>

#include "agent/redaction/argv.hpp"
#include "agent/report/headline.hpp"
#include "agent/report/hosts.hpp"
#include "agent/report/report.hpp"
#include "agent/report/text/process_line.hpp"
#include "agent/system/format.hpp"
#include "policy/text/escape.hpp"

namespace reaper::agent {

namespace {

using policy::escape;

// default-src 'none': even if something slipped through the escaping, the browser would not run or
// fetch it.
constexpr std::string_view kTop = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>orphan-reaper</title>
<style>
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid #8886; padding: .4rem .6rem; }
th, td { text-align: left; vertical-align: top; }
td.number { text-align: right; white-space: nowrap; }
code { font-size: 90%; overflow-wrap: anywhere; }
.leaked td:first-child { border-left: 4px solid #c33; }
.reported td:first-child { border-left: 4px solid #c90; }
.kept td:first-child { border-left: 4px solid #393; }
.remark { border-left: 4px solid #c90; padding-left: .6rem; }
</style>
</head>
<body>
)";

std::string markup(std::string_view text, std::size_t longest = policy::kLongestShown) {
    std::string safe;
    for (const char c : escape(text, longest)) {
        switch (c) {
            case '&': safe += "&amp;"; break;
            case '<': safe += "&lt;"; break;
            case '>': safe += "&gt;"; break;
            case '"': safe += "&quot;"; break;
            case '\'': safe += "&#39;"; break;
            default: safe += c;
        }
    }
    return safe;
}

std::string evidence_list(const ReportedProcess& process) {
    std::string items;
    for (const policy::Evidence& evidence : process.judgement.evidence) {
        items += fmt::format("<li>{}: {} <code>{}</code></li>", weight_word(evidence.weight),
                             markup(evidence.detail), markup(evidence.code));
    }
    if (items.empty()) return {};
    return fmt::format("<details><summary>all evidence</summary><ul>{}</ul></details>", items);
}

std::string row(const Report& report, const ReportedProcess& process, std::string_view which) {
    const scanner::ProcessFacts& facts = process.facts;
    const std::string extra = process.outcome ? outcome_line(process) : remedy(report, process);
    std::string text = fmt::format(
        "<tr class=\"{}\"><td class=\"number\">{}</td><td>{}</td><td>{}</td>", which, facts.row.pid,
        markup(kind_text(process)), to_string(process.judgement.verdict));
    text += fmt::format(
        "<td class=\"number\">{}</td><td "
        "class=\"number\">{}</td><td>{}</td><td><code>{}</code></td>",
        age_text(age_seconds(report.machine, facts)), size_text(memory_bytes(facts)),
        markup(facts.user), markup(shown_home(report, process)));
    text += fmt::format("<td>{}{}{}<br><code>{}</code>{}</td></tr>\n", markup(why(process), 2000),
                        extra.empty() ? "" : "<br>", markup(extra, 2000),
                        markup(redacted_line(facts.row.command_line.value.argv), 1000),
                        evidence_list(process));
    return text;
}

std::string table_of(std::string_view title, std::string_view rows) {
    if (rows.empty()) return {};
    return fmt::format(
        "<h2>{}</h2>\n<table>\n<thead><tr><th>pid</th><th>what</th><th>verdict</th><th>age</"
        "th><th>memory</th>"
        "<th>user</th><th>home</th><th>why</th></tr></thead>\n<tbody>\n{}</tbody>\n</table>\n",
        title, rows);
}

std::string section(const Report& report, ReportSection which, std::string_view title,
                    std::string_view name) {
    std::string rows;
    for (const ReportedProcess& process : report.processes) {
        if (section_of(process) == which) rows += row(report, process, name);
    }
    return table_of(title, rows);
}

std::string other_hosts(const Report& report) {
    std::string rows;
    for (const ReportedProcess& process : report.others) rows += row(report, process, "kept");
    return table_of("Of other hosts: never counted", rows);
}

std::string row(const HostTally& host) {
    return fmt::format(
        "<tr><td class=\"number\">{}</td><td>{}</td><td class=\"number\">{}</td>"
        "<td class=\"number\">{}</td><td class=\"number\">{}</td><td>{}</td>"
        "<td><code>{}</code></td></tr>\n",
        host.pid == 0 ? "" : fmt::format("{}", host.pid), markup(host_name(host)), host.helpers,
        host.leaked, size_text(memory_bytes(host)), markup(families_text(host), 1000),
        markup(redacted_line(host.argv), 1000));
}

std::string hosts_table(const Report& report) {
    if (report.hosts.empty()) return {};
    std::string rows;
    for (const HostTally& host : report.hosts) rows += row(host);
    return fmt::format(
        "<h2>By host</h2>\n<table>\n<thead><tr><th>pid</th><th>host</th><th>helpers</th>"
        "<th>leaked</th><th>memory</th><th>families</th><th>command</th></tr></thead>\n"
        "<tbody>\n{}</tbody>\n</table>\n",
        rows);
}

}  // namespace

std::string render_html(const Report& report) {
    std::string text(kTop);
    text += fmt::format("<h1>{}</h1>\n<p>{} on {}, {}{}; {}</p>\n", markup(headline(report)),
                        markup(report.command), markup(report.machine.name),
                        time_text(report.started_epoch), report.dry_run ? ", dry run" : "",
                        markup(scope_line(report), 2000));
    for (const std::string& remark : report.remarks) {
        text += fmt::format("<p class=\"remark\">{}</p>\n", markup(remark, 2000));
    }
    text += section(report, ReportSection::leaked, "Leaked", "leaked");
    text += section(report, ReportSection::reported, "To look at", "reported");
    text += section(report, ReportSection::kept, "Kept", "kept");
    text += other_hosts(report);
    text += hosts_table(report);
    text += fmt::format("<p>{}</p>\n<p>orphan-reaper {}</p>\n</body>\n</html>\n",
                        markup(exit_line(report.exit_status)), markup(report.version));
    return text;
}

}  // namespace reaper::agent
