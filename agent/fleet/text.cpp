#include <algorithm>

#include <fmt/format.h>

#include "agent/fleet/fleet.hpp"
#include "agent/report/headline.hpp"
#include "agent/report/text/layout.hpp"
#include "agent/system/format.hpp"
#include "policy/text/escape.hpp"

namespace reaper::agent {

namespace {

using policy::escape;

constexpr std::size_t kMostLeaks = 20;  // of one machine, unless verbose

std::string shown_name(const FleetMachine& machine) {
    return escape(name_of(machine), 200);
}

std::string state_text(const FleetMachine& machine) {
    if (!machine.trouble.empty()) return "not read";
    if (machine.ready) return *machine.ready ? "ready" : "not ready";
    if (machine.failed > 0) return fmt::format("{} did not end", machine.failed);
    if (!machine.complete) return "not seen completely";
    return left_of(machine) > 0 ? "leaks left" : "ok";
}

std::string row(const FleetMachine& machine, std::size_t width) {
    const std::string name = fmt::format("{:<{}}", shown_name(machine), width);
    if (!machine.trouble.empty()) return fmt::format("{}  not read\n", name);
    return fmt::format("{}  {:>6}  {:>7}  {:>7}  {:>5}  {:>5}  {:<20}  {}\n", name,
                       left_of(machine), size_text(machine.reclaimable_bytes), machine.reported,
                       machine.reaped, machine.kept, escape(machine.started_at, 20),
                       state_text(machine));
}

std::string narrow_row(const FleetMachine& machine, const RenderOptions& options) {
    const std::string name = shown_name(machine) + "\n";
    if (!machine.trouble.empty()) return name + paragraph("not read", options);
    return name + paragraph(fmt::format("{} leaked, {}; {} to look at, {} ended, {} kept; {}",
                                        left_of(machine), size_text(machine.reclaimable_bytes),
                                        machine.reported, machine.reaped, machine.kept,
                                        state_text(machine)),
                            options);
}

std::string table(const Fleet& fleet, const RenderOptions& options) {
    std::size_t width = 7;
    for (const FleetMachine& machine : fleet.machines)
        width = std::max(width, shown_name(machine).size());
    width = std::min<std::size_t>(width, 30);
    const bool columns = has_columns(options);
    const std::string title =
        columns
            ? fmt::format("{:<{}}  {:>6}  {:>7}  {:>7}  {:>5}  {:>5}  {:<20}  {}", "MACHINE", width,
                          "LEAKED", "MEMORY", "TO LOOK", "ENDED", "KEPT", "SEEN AT", "STATE")
            : std::string("MACHINES");
    std::string text = "\n" + top_line(title, Style::strong, options);
    for (const FleetMachine& machine : fleet.machines)
        text += columns ? row(machine, width) : narrow_row(machine, options);
    return text;
}

std::string leak_line(const FleetProcess& process, const RenderOptions& options) {
    const std::string result = process.result.empty() ? "" : ", " + escape(process.result, 60);
    return paragraph(
        fmt::format("pid {}, {}, {}, {}, of {}, {}: {}{}", process.pid, escape(process.kind, 60),
                    age_text(process.age), size_text(process.memory_bytes),
                    escape(process.user, 60), escape(home_text(process.home, process.user), 400),
                    escape(process.verdict, 60), result),
        options);
}

// What is wrong with it, or nothing.
std::string details(const FleetMachine& machine, const RenderOptions& options) {
    std::string text;
    if (!machine.trouble.empty()) text += paragraph(escape(machine.trouble, 400), options);
    for (const std::string& one : machine.in_the_way)
        text += paragraph("in the way: " + escape(one, 400), options);
    const std::size_t shown =
        options.verbose ? machine.leaks.size() : std::min(machine.leaks.size(), kMostLeaks);
    for (std::size_t at = 0; at < shown; ++at) text += leak_line(machine.leaks[at], options);
    if (shown < machine.leaks.size())
        text += paragraph(
            fmt::format("... and {} more: --verbose lists all", machine.leaks.size() - shown),
            options);
    if (machine.complete && !options.verbose) return text;
    for (const std::string& remark : machine.remarks)
        text += paragraph("! " + escape(remark, 1000), options);
    return text;
}

std::string all_details(const Fleet& fleet, const RenderOptions& options) {
    std::string text;
    for (const FleetMachine& machine : fleet.machines) {
        const std::string found = details(machine, options);
        if (!found.empty())
            text += "\n" + top_line(shown_name(machine), Style::strong, options) + found;
    }
    return text;
}

}  // namespace

std::string render_fleet(const Fleet& fleet, const RenderOptions& options) {
    const std::string first = top_line(headline(fleet), headline_style(fleet.exit_status), options);
    if (options.quiet) return fleet.exit_status == ExitStatus::clean ? std::string() : first;
    std::string text = first + table(fleet, options) + all_details(fleet, options) +
                       remarks_text(fleet.remarks, options);
    if (fleet.exit_status != ExitStatus::clean)
        text += "\n" + top_line(exit_line(fleet.exit_status), Style::faint, options);
    return text;
}

}  // namespace reaper::agent
