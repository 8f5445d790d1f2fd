// `explain`: every fact that was read about a process, and every piece of evidence that decided.
#include <algorithm>

#include <fmt/format.h>

#include "agent/redaction/argv.hpp"
#include "agent/report/report.hpp"
#include "agent/report/text/color.hpp"
#include "agent/report/text/facts.hpp"
#include "agent/report/text/process_line.hpp"
#include "agent/system/format.hpp"
#include "policy/text/escape.hpp"

namespace reaper::agent {

namespace {

using policy::escape;
using scanner::Access;
using scanner::Reading;

// A fact, or why there is none: "could not look" must not read like "there is nothing".
template <class T, class Show>
std::string show(const Reading<T>& reading, Show show_value) {
    switch (reading.access) {
        case Access::ok: return show_value(reading.value);
        case Access::not_read: return "not looked at";
        case Access::denied: return "could not be read";
        case Access::gone: return "none";
        case Access::malformed: return "could not be understood";
    }
    return "could not be read";
}

class FactTable {
   public:
    explicit FactTable(const RenderOptions& options) : options_(options) {}

    void add(std::string_view name, std::string_view value) {
        const bool beside = options_.width >= kNameBeside;
        const std::size_t indent = beside ? kLeft : 4;
        std::string left = fmt::format("  {:<{}}", name, indent - 2);
        if (!beside && !name.empty()) text_ += fmt::format("  {}\n", name);
        if (!beside) left.assign(indent, ' ');
        for (const std::string& line :
             wrap(value, std::max<std::size_t>(options_.width, 20) - indent)) {
            text_ += left + line + "\n";
            left.assign(indent, ' ');
        }
    }
    void title(std::string_view text) {
        text_ += fmt::format("\n  {}\n", colorize(text, Style::strong, options_.color));
    }
    [[nodiscard]] const std::string& text() const { return text_; }

   private:
    static constexpr std::size_t kLeft = 17;
    static constexpr std::size_t kNameBeside =
        50;  // columns; where there are fewer, a name gets a line of its own

    const RenderOptions& options_;
    std::string text_;
};

std::string_view home_note(const scanner::ProcessFacts& facts) {
    return facts.same_home.ok() && !facts.same_home.value ? " (another folder than ours)" : "";
}

void add_program(FactTable& table, const scanner::ProcessFacts& facts,
                 const policy::Judgement& judgement) {
    const scanner::ProcessRow& row = facts.row;
    table.add("command", show(row.command_line, [](const auto& line) {
                  return redacted_line(line.argv) + (line.truncated ? " (cut off)" : "");
              }));
    table.add("exe", show(row.exe, text_of) + (facts.exe_deleted ? " (deleted)" : ""));
    table.add("script", show(facts.script, text_of));
    table.add("package", show(facts.package, text_of));
    table.add("cwd", show(facts.cwd, text_of));
    table.add("home", judgement.home.empty()
                          ? "unknown"
                          : fmt::format("{}{}", escape(judgement.home), home_note(facts)));
    table.add("environment", show(facts.environment, environment_text));
}

void add_standing(FactTable& table, const scanner::ProcessFacts& facts,
                  const scanner::Machine& machine) {
    const scanner::ProcessRow& row = facts.row;
    const std::uint64_t age = age_seconds(machine, facts);
    table.add("unique id", escape(scanner::to_string(facts.identity)));
    table.add("user", fmt::format("{} (uid {})", escape(facts.user, 60), row.uid));
    table.add("uids", show(facts.uids, uids_text));
    table.add("parent",
              fmt::format("pid {}; session {}, process group {}", row.ppid, row.session, row.pgrp));
    table.add("terminal",
              row.tty == 0 ? "none" : escape(facts.tty_name.empty() ? "yes" : facts.tty_name, 60));
    table.add("state", escape(std::string(1, row.state)));
    table.add("started",
              fmt::format("{}, {} ago", time_text(machine.now_epoch - static_cast<double>(age)),
                          age_text(age)));
    table.add("uses", fmt::format("{} of memory, {:.1f} s of CPU so far",
                                  size_text(memory_bytes(facts)), facts.cpu_seconds));
    table.add("pid namespace", show(facts.same_pid_namespace, [](bool same) {
                  return std::string(same ? "ours" : "another one");
              }));
    table.add("root", show(facts.same_root,
                           [](bool same) { return std::string(same ? "ours" : "another one"); }));
    table.add("tracer", show(facts.tracer, [](scanner::Pid pid) {
                  return pid == 0 ? "none" : fmt::format("pid {}", pid);
              }));
}

void add_ties(FactTable& table, const scanner::ProcessFacts& facts) {
    table.add("stdin", show(facts.standard_input, end_text));
    table.add("stdout", show(facts.standard_output, end_text));
    table.add("listens on", show(facts.listeners, listener_text));
    table.add("unit", show(facts.unit, unit_text));
    table.add("cgroup", show(facts.row.cgroup, text_of));
    table.add("locks", show(facts.held_locks, list_text));
}

void add_evidence(FactTable& table, const policy::Judgement& judgement) {
    table.title("evidence");
    for (const policy::Evidence& evidence : judgement.evidence) {
        table.add(weight_word(evidence.weight),
                  fmt::format("{} [{}]", escape(evidence.detail), escape(evidence.code, 60)));
    }
    if (judgement.evidence.empty()) table.add("none", "no evidence was recorded");
}

std::string decision_text(const policy::Judgement& judgement) {
    if (judgement.action != policy::Action::reap) {
        return judgement.action == policy::Action::report ? "reported, not ended" : "kept";
    }
    std::string text =
        fmt::format("sweep ends it: TERM, then KILL after {}", took_text(judgement.grace));
    text += fmt::format(" (at most {} while it still writes its database)",
                        took_text(std::max(judgement.grace, judgement.grace_cap)));
    if (!judgement.ends_with.empty())
        text += fmt::format("; together with pid {}", fmt::join(judgement.ends_with, ", "));
    if (!judgement.relies_on.empty())
        text += fmt::format("; only while pid {} stays", fmt::join(judgement.relies_on, ", "));
    return text;
}

std::string explain_one(const Report& report, const ReportedProcess& process,
                        const RenderOptions& options) {
    FactTable table(options);
    add_program(table, process.facts, process.judgement);
    add_standing(table, process.facts, report.machine);
    add_ties(table, process.facts);
    add_evidence(table, process.judgement);
    table.title("decision");
    table.add(to_string(process.judgement.verdict), decision_text(process.judgement));
    const std::string cure = remedy(report, process);
    if (!cure.empty()) table.add("", cure);
    const std::string first = fmt::format("{} {}: {}", process.facts.row.pid, kind_text(process),
                                          to_string(process.judgement.verdict));
    std::string text;
    for (const std::string& line : wrap(first, std::max<std::size_t>(options.width, 20))) {
        text += colorize(line, Style::strong, options.color) + "\n";
    }
    return text + table.text();
}

}  // namespace

std::string render_explanation(const Report& report, const RenderOptions& options) {
    std::string text;
    for (const ReportedProcess& process : report.processes) {
        if (!text.empty()) text += "\n";
        text += options.quiet ? fmt::format("{} {}: {}\n", process.facts.row.pid,
                                            to_string(process.judgement.verdict), why(process))
                              : explain_one(report, process, options);
    }
    if (!text.empty() && !report.remarks.empty()) text += "\n";
    for (const std::string& remark : report.remarks)
        text += fmt::format("! {}\n", escape(remark, 1000));
    return text;
}

}  // namespace reaper::agent
