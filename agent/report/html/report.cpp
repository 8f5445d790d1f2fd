// The page about the present: of report, sweep, preflight and explain.
#include "agent/report/report.hpp"

#include <algorithm>
#include <iterator>

#include "agent/redaction/argv.hpp"
#include "agent/report/headline.hpp"
#include "agent/report/history_view.hpp"
#include "agent/report/hosts.hpp"
#include "agent/report/html/chart.hpp"
#include "agent/report/html/next_steps.hpp"
#include "agent/report/html/obstacles.hpp"
#include "agent/report/html/page.hpp"
#include "agent/report/html/processes.hpp"
#include "agent/report/html/tiles.hpp"
#include "agent/report/html/tree.hpp"
#include "agent/report/readiness.hpp"
#include "agent/system/format.hpp"
#include "policy/text/duration.hpp"

namespace reaper::agent {

namespace html {

namespace {

constexpr std::size_t kMostHosts = 30;

Mark mark_of_status(ExitStatus status) {
    switch (status) {
        case ExitStatus::clean: return Mark::kept;
        case ExitStatus::not_ended:
        case ExitStatus::blocked: return Mark::failed;
        case ExitStatus::leaks_left: return Mark::leaked;
        case ExitStatus::usage:
        case ExitStatus::configuration:
        case ExitStatus::incomplete:
        case ExitStatus::interrupted: return Mark::look;
    }
    return Mark::look;
}

// What a report says of the whole would mislead where only some were asked about.
std::string explain_headline(const Report& report) {
    const std::size_t count = report.processes.size();
    if (count == 0) return "none of these is a helper";
    if (count > 1) return fmt::format("{} processes explained", count);
    const ReportedProcess& one = report.processes.front();
    return fmt::format("pid {}, {}: {}, {}", one.facts.row.pid, kind_text(one),
                       word_of(mark_of(one)), verdict_words(one.judgement.verdict));
}

std::string headline_of(const Report& report) {
    if (report.command == "explain") return explain_headline(report);
    if (report.command != "preflight") return headline(report);
    return preflight_headline(report) + std::string(held_back_text(report));
}

std::string what_of(const Report& report) {
    return report.dry_run ? "dry run of " + report.command : report.command;
}

// The rest of the scope stands at the end of the page.
Markup facts_of(const Report& report) {
    const std::string scope = scope_line(report);
    return text(report.machine.name, 100) + literal(", ") + time_markup(report.started_epoch) +
           text("; " + scope.substr(0, scope.find(';')), 400);
}

Processes pointers_to(const std::vector<ReportedProcess>& processes) {
    Processes pointers;
    std::ranges::transform(processes, std::back_inserter(pointers),
                           [](const ReportedProcess& process) { return &process; });
    return pointers;
}

std::string leaked_lead(const Report& report) {
    if (report.command == "report" && exceeds_limit(report))
        return fmt::format("A sweep would refuse to end these: more than --max-kills {}.",
                           report.max_kills);
    if (report.command == "report" || report.dry_run)
        return "No host uses these any more. A sweep ends them. Open a row to see why.";
    return "What was leaked, and what became of it. Open a row to see why.";
}

Section process_section(const Report& report, ReportSection which, Literal id, Room& room) {
    const Processes processes = processes_in(report, which);
    Section section{.id = id, .count = processes.size()};
    const bool kept = which == ReportSection::kept;
    section.content =
        process_list(report, processes, kept ? Folding::by_verdict : Folding::equals, room);
    return section;
}

void add_processes(const Report& report, std::vector<Section>& sections) {
    Room room;
    if (report.command == "explain") {
        sections.push_back(
            {"processes",
             "What was asked about",
             {},
             report.processes.size(),
             process_list(report, pointers_to(report.processes), Folding::open, room)});
        return;
    }
    Section leaked = process_section(report, ReportSection::leaked, "leaked", room);
    leaked.title = "Leaked";
    leaked.lead = leaked_lead(report);
    sections.push_back(std::move(leaked));
    Section look = process_section(report, ReportSection::reported, "look", room);
    look.title = "To look at";
    look.lead = "These may be leaked, but a sweep leaves them. Open a row to see why.";
    sections.push_back(std::move(look));
    Section kept = process_section(report, ReportSection::kept, "kept", room);
    kept.title = "Kept";
    kept.lead = "In use, or protected. Open a reason to see the helpers.";
    sections.push_back(std::move(kept));
    sections.push_back(
        {"others", "Of other hosts", "Listed only: never ended, never counted.",
         report.others.size(),
         process_list(report, pointers_to(report.others), Folding::by_verdict, room)});
}

Markup row_of(const HostTally& host) {
    const auto number = [](std::size_t count) {
        return element("td", {{"class", "number"}}, text(fmt::format("{}", count)));
    };
    const std::string pid = host.pid == 0 ? std::string() : fmt::format(", pid {}", host.pid);
    Markup name = text(host_name(host) + pid) + element("small", text(families_text(host), 400));
    const std::string command = redacted_line(host.argv);
    if (!command.empty()) name += element("small", element("code", text(command, 200)));
    return element("tr",
                   element("td", name) + number(host.helpers) + number(host.leaked) +
                       element("td", {{"class", "number"}}, text(size_text(memory_bytes(host))))) +
           literal("\n");
}

Markup hosts_table(const Report& report) {
    if (report.hosts.empty() || report.command != "report") return {};
    Markup rows;
    for (std::size_t at = 0; at < std::min(report.hosts.size(), kMostHosts); ++at)
        rows += row_of(report.hosts[at]);
    const Markup head = literal(R"(<caption>By host, most memory first</caption>
<thead><tr><th scope="col">Host and helpers</th><th scope="col" class="number">Helpers</th>
<th scope="col" class="number">Leaked</th><th scope="col" class="number">Memory</th></tr></thead>
)");
    return element("details", {{"class", "fold"}},
                   element("summary", text("The same in numbers")) +
                       element("table", head + element("tbody", rows)));
}

Section tree_section(const Report& report) {
    Section section{.id = "tree", .title = "Hosts and their helpers"};
    if (report.command == "explain") return section;
    section.lead = "A host is the program that started a helper. Bars show memory.";
    section.content = draw(report, trees_of(report));
    if (!section.content.empty()) section.content += hosts_table(report);
    return section;
}

Section past_section(const Report& report) {
    Section section{.id = "past", .title = "Ended before"};
    if (!report.past) return section;
    const PastSweeps& past = *report.past;
    section.lead = fmt::format("In the last {}.", policy::duration_text(past.since));
    section.content = chart_of(past.tallies, {past.now, past.since});
    if (!past.tallies.empty())
        section.content +=
            element("details", {{"class", "fold"}},
                    element("summary", text("The same in numbers")) + table_of(past.tallies));
    return section;
}

Section about_section(const Report& report) {
    return {"about",
            "About this run",
            {},
            0,
            facts_card({{"Machine", text(report.machine.name, 100)},
                        {"System", text(report.machine.os + " " + report.machine.kernel, 100)},
                        {"Scope", text(scope_line(report), 2000)},
                        {"Result", text(exit_line(report.exit_status))},
                        {"Version", text("orphan-reaper " + report.version, 100)}})};
}

Page page_of(const Report& report) {
    Page page;
    page.headline = headline_of(report);
    page.title = fmt::format("{} - {} - orphan-reaper", page.headline, report.machine.name);
    page.what = what_of(report);
    const bool single = report.command == "explain" && report.processes.size() == 1;
    page.mark = single ? mark_of(report.processes.front()) : mark_of_status(report.exit_status);
    page.facts = facts_of(report);
    if (report.command != "explain") page.opening = render(tiles_of(report));
    page.opening += remarks_box(report.remarks);
    page.sections.push_back(
        {"obstacles", "In the way", {}, report.obstacles.size(), obstacles_of(report)});
    page.sections.push_back({"next", "What to type next", {}, 0, render(steps_after(report))});
    page.sections.push_back(tree_section(report));
    add_processes(report, page.sections);
    if (report.cleaning)
        page.sections.push_back({"files", "Stale files", {}, 0, stale_files_of(report)});
    page.sections.push_back(past_section(report));
    page.sections.push_back(about_section(report));
    page.last_line =
        fmt::format("{}. orphan-reaper {}", exit_line(report.exit_status), report.version);
    return page;
}

}  // namespace

}  // namespace html

std::string render_html(const Report& report) {
    return html::render(html::page_of(report));
}

}  // namespace reaper::agent
