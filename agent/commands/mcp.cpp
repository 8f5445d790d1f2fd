// `mcp`: what each tool does is what a command does.
#include <unistd.h>

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "agent/commands/commands.hpp"
#include "agent/commands/platform.hpp"
#include "agent/history/file.hpp"
#include "agent/mcp/arguments.hpp"
#include "agent/mcp/rows.hpp"
#include "agent/mcp/server.hpp"
#include "agent/reaping/descriptors.hpp"
#include "agent/report/history_view.hpp"
#include "policy/text/escape.hpp"

namespace reaper::agent {

namespace {

constexpr std::size_t kLongestTrouble = 1000;

// Of what a command would print on stderr, the model needs the first line.
ToolAnswer trouble(std::string_view why) {
    constexpr std::string_view kProgram = "orphan-reaper: ";
    if (why.starts_with(kProgram)) why.remove_prefix(kProgram.size());
    return tool_trouble(policy::escape(why.substr(0, why.find('\n')), kLongestTrouble));
}

ToolAnswer trouble(const Error& error) {
    return trouble(describe(error));
}

double now_epoch() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

ToolAnswer read_past(const HistoryOptions& own) {
    const auto history = read_history(history_folder());
    if (!history) return trouble(history.error());
    return {history_result(view_of(*history, now_epoch(), own.since, still_runs)), {}, {}, {}};
}

ToolAnswer check_update(const Options& options, const Setup& setup) {
    ToolAnswer answer;
    const auto status = run_preflight(options, options, setup, [&](Report report) {
        conclude(report);
        answer.structured = preflight_result(report);
        return static_cast<int>(report.exit_status);
    });
    return status ? answer : trouble(status.error());
}

ToolAnswer answer_with(const ToolCall& call, const std::string& command, const Report& report) {
    if (call.tool == "plan_sweep") return plan_result(report, command);
    ToolAnswer answer;
    if (call.tool == "report")
        answer.structured = report_result(report, member_of(call.arguments, "verbose") == true);
    else if (call.tool == "explain")
        answer.structured = explain_result(report);
    else
        answer.structured = sweep_result(report, call.plan);
    return answer;
}

Result<Report> look(const ToolCall& call, const Options& options, const Setup& setup) {
    const auto table = scanner::ProcessTable::open();
    if (!table) return tl::unexpected(table.error());
    if (options.command == Command::explain) return run_explain(*table, options, options, setup);
    if (call.tool == "sweep") return run_sweep(*table, options, setup, call.plan);
    if (options.command == Command::sweep) return run_sweep(*table, options, setup);
    return run_report(*table, options, options, setup);
}

// Reads the rules each time, so that what was changed about them counts.
ToolAnswer work_on(const ToolCall& call, const Options& base) {
    std::string wrong;
    Options options = options_of(call, base, wrong);
    if (!wrong.empty()) return trouble(wrong);
    if (options.command == Command::history) return read_past(options);
    const Options asked = options;
    options.min_age.reset();
    auto setup = prepare(options);
    if (!setup) return trouble(setup.error().text);
    const std::string command = command_to_type(asked, options.max_kills, setup->rules);
    if (asked.min_age) raise_min_age(setup->rules, *asked.min_age);
    raise_descriptor_limit();
    if (options.command == Command::preflight) return check_update(options, *setup);
    auto report = look(call, options, *setup);
    if (!report) return trouble(report.error());
    conclude(*report);
    note_and_total(options, *report);
    return answer_with(call, command, *report);
}

}  // namespace

tl::expected<int, Message> run_mcp(const Options& options) {
    if (options.allow_sweep && ::geteuid() == 0 && !options.as_root)
        return tl::unexpected(
            usage_error("mcp: --allow-sweep would end processes of root; say --as-root, too, if "
                        "that is meant"));
    const auto served = serve_mcp(options.allow_sweep,
                                  [&](const ToolCall& call) { return work_on(call, options); });
    if (served) return static_cast<int>(ExitStatus::clean);
    return tl::unexpected(
        Message{fmt::format("orphan-reaper: {}\n", policy::escape(describe(served.error()), 2000)),
                static_cast<int>(ExitStatus::incomplete)});
}

}  // namespace reaper::agent
