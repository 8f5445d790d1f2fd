#include "agent/report/text/sections.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "agent/report/headline.hpp"
#include "agent/report/text/layout.hpp"
#include "agent/system/format.hpp"
#include "policy/text/escape.hpp"

namespace reaper::agent {

namespace {

using policy::escape;

constexpr std::size_t kMostRows = 20;

std::string evidence_text(const ReportedProcess& process, const RenderOptions& options) {
    std::string text;
    for (const policy::Evidence& evidence : process.judgement.evidence) {
        text += paragraph(fmt::format("{} {}: {}", weight_word(evidence.weight),
                                      escape(evidence.code, 60), escape(evidence.detail)),
                          options);
    }
    return text;
}

// "4711  bridge/headless  1h 10m  91 MB  ~/.hermes/memos-plugin"
std::string columns(const Report& report, const ReportedProcess& process,
                    const RenderOptions& options) {
    const scanner::ProcessFacts& facts = process.facts;
    const std::string age = age_text(age_seconds(report.machine, facts));
    const std::string size = size_text(memory_bytes(facts));
    const std::string home = shown_home(report, process);
    if (has_columns(options)) {
        return fmt::format("{:>7}  {:<22} {:>8} {:>9}  {}\n", facts.row.pid, kind_text(process),
                           age, size, home);
    }
    return fmt::format("{} {}\n", facts.row.pid, kind_text(process)) +
           paragraph(fmt::format("{} old, {}", age, size), options) + paragraph(home, options);
}

std::string entry(const Report& report, const ReportedProcess& process,
                  const RenderOptions& options) {
    std::string text = columns(report, process, options);
    // Processes of one section can be there for different reasons; the leaked ones nearly always
    // are orphans.
    const bool named = section_of(process) != ReportSection::leaked ||
                       process.judgement.verdict != policy::Verdict::orphan;
    text += paragraph(
        (named ? std::string(to_string(process.judgement.verdict)) + ": " : std::string()) +
            why(process),
        options);
    if (process.outcome && process.outcome->result != OutcomeResult::would_reap)
        text += paragraph("-> " + outcome_line(process), options);
    const std::string cure = remedy(report, process);
    if (!cure.empty()) text += paragraph("-> " + cure, options);
    if (options.verbose) text += evidence_text(process, options);
    return text;
}

Processes failures_first(const Processes& processes) {
    Processes order;
    for (const bool failed : {true, false}) {
        std::copy_if(processes.begin(), processes.end(), std::back_inserter(order),
                     [failed](const auto* process) { return has_failed(*process) == failed; });
    }
    return order;
}

std::string table_of(const Report& report, const Processes& processes, std::string_view title,
                     Style style, const RenderOptions& options) {
    if (processes.empty()) return {};
    const std::size_t shown =
        options.verbose ? processes.size() : std::min(processes.size(), kMostRows);
    const std::string heading =
        has_columns(options) ? fmt::format("{:<31} {:>8} {:>9}  {}", title, "AGE", "MEMORY", "HOME")
                             : std::string(title);
    std::string text = "\n" + top_line(heading, style, options);
    for (std::size_t i = 0; i < shown; ++i) text += entry(report, *processes[i], options);
    if (shown < processes.size())
        text += fmt::format("         ... and {} more: --verbose lists all\n",
                            processes.size() - shown);
    return text;
}

std::string packs_text(const Report& report) {
    return escape(fmt::format("{}", fmt::join(report.other_packs, " --with ")), 200);
}

}  // namespace

Processes processes_in(const Report& report, ReportSection which) {
    Processes chosen;
    for (const ReportedProcess& process : report.processes) {
        if (section_of(process) == which) chosen.push_back(&process);
    }
    return failures_first(chosen);
}

std::string section_table(const Report& report, ReportSection which, std::string_view title,
                          Style style, const RenderOptions& options) {
    return table_of(report, processes_in(report, which), title, style, options);
}

std::string others_section(const Report& report, const RenderOptions& options) {
    if (report.others.empty()) return {};
    Processes processes;
    for (const ReportedProcess& process : report.others) {
        if (options.verbose || section_of(process) != ReportSection::kept)
            processes.push_back(&process);
    }
    const std::size_t left = report.others.size() - processes.size();
    const std::string in_use = count_text(left, "helper") + " in use";
    if (processes.empty())
        return fmt::format("\nother hosts ({}): nothing leaked; {}\n", packs_text(report), in_use);
    std::string text =
        table_of(report, processes, "OTHER HOSTS: NEVER COUNTED", Style::faint, options);
    if (left > 0) text += fmt::format("         and {}: --verbose lists all\n", in_use);
    const std::string command = next_command(report, "report --with " + packs_text(report));
    return text + fmt::format("run:  {:<32}  # see what a sweep with it would end\n", command);
}

std::string_view leaked_title(const Report& report) {
    if (report.dry_run) return "WOULD BE ENDED";
    return report.command == "sweep" || report.command == "preflight"
               ? "LEAKED, AND WHAT BECAME OF THEM"
               : "LEAKED";
}

}  // namespace reaper::agent
