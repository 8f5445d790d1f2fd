// The page about many machines.
#include <algorithm>

#include "agent/fleet/fleet.hpp"
#include "agent/report/headline.hpp"
#include "agent/report/html/page.hpp"
#include "agent/report/html/processes.hpp"
#include "agent/report/html/tiles.hpp"
#include "agent/system/format.hpp"

namespace reaper::agent {

namespace html {

namespace {

constexpr std::size_t kMostLeaks = 100;  // of one machine

Mark mark_of(const FleetMachine& machine) {
    if (!machine.trouble.empty() || !machine.complete) return Mark::look;
    if (machine.failed > 0 || !machine.ready.value_or(true)) return Mark::failed;
    return left_of(machine) > 0 ? Mark::leaked : Mark::kept;
}

Tile tile_of(Mark mark, std::string name, std::uint64_t count, std::string note) {
    return {count > 0 ? mark : Mark::kept, std::move(name), fmt::format("{}", count),
            std::move(note)};
}

std::vector<Tile> tiles_of(const Fleet& fleet) {
    const FleetSum sum = sum_of(fleet);
    std::vector<Tile> tiles;
    tiles.push_back(tile_of(
        Mark::leaked, "Leaked", sum.left,
        fmt::format("on {} of {}", sum.leaking, count_text(fleet.machines.size(), "machine"))));
    tiles.push_back({sum.left > 0 ? Mark::leaked : Mark::kept, "Would come back",
                     size_text(sum.reclaimable_bytes), "memory of what is leaked"});
    if (sum.reaped > 0)
        tiles.push_back({Mark::ended, "Ended", fmt::format("{}", sum.reaped),
                         size_text(sum.reclaimed_bytes) + " came back"});
    if (sum.failed > 0)
        tiles.push_back(tile_of(Mark::failed, "Did not end", sum.failed, "see below"));
    if (sum.not_ready > 0)
        tiles.push_back(tile_of(Mark::failed, "Not ready", sum.not_ready, "for an update"));
    tiles.push_back(tile_of(Mark::look, "Not read", sum.unread, "reports that did not arrive"));
    return tiles;
}

std::string state_words(const FleetMachine& machine) {
    if (!machine.trouble.empty()) return machine.trouble;
    std::string words =
        fmt::format("{} leaked, {} to look at, {} kept; seen at {}", left_of(machine),
                    machine.reported, machine.kept, machine.started_at);
    if (machine.reaped > 0) words += fmt::format("; {} ended", machine.reaped);
    if (machine.failed > 0) words += fmt::format("; {} did not end", machine.failed);
    if (machine.ready) words += *machine.ready ? "; ready for an update" : "; not ready";
    return machine.complete ? words : words + "; not seen completely";
}

Markup leak_item(const FleetProcess& process) {
    const std::string result = process.result.empty() ? "" : ", " + process.result;
    return element(
        "li", text(fmt::format("pid {}, {}, {}, {}, of {}: {}{}", process.pid, process.kind,
                               age_text(process.age), size_text(process.memory_bytes), process.user,
                               process.verdict, result),
                   300) +
                  literal(" ") + element("code", text(home_text(process.home, process.user), 200)));
}

Markup list_of(const std::vector<std::string>& lines) {
    Markup items;
    for (const std::string& line : lines) items += element("li", text(line, 600));
    return items;
}

Markup details_of(const FleetMachine& machine) {
    Markup items = list_of(machine.in_the_way);
    const std::size_t shown = std::min(machine.leaks.size(), kMostLeaks);
    for (std::size_t at = 0; at < shown; ++at) items += leak_item(machine.leaks[at]);
    if (shown < machine.leaks.size())
        items += element("li", text(fmt::format("and {} more", machine.leaks.size() - shown)));
    if (!machine.complete) items += list_of(machine.remarks);
    items += element("li", text(fmt::format("from {}, by orphan-reaper {} {}", machine.file,
                                            machine.command, machine.version),
                                300));
    return element("div", {{"class", "body"}}, element("ul", items));
}

Markup row_of(const FleetMachine& machine) {
    const std::string size =
        machine.trouble.empty() ? size_text(machine.reclaimable_bytes) : "not read";
    const Markup summary = element(
        "summary", mark_icon(mark_of(machine)) +
                       element("span", {{"class", "what"}}, text(name_of(machine), 100)) +
                       element("span", {{"class", "size"}}, text(size)) +
                       element("span", {{"class", "why"}}, text(state_words(machine), 400)));
    return element("details", summary + details_of(machine)) + literal("\n");
}

Markup machines_of(const Fleet& fleet) {
    Room room;
    Markup rows;
    std::size_t shown = 0;
    for (const FleetMachine& machine : fleet.machines) {
        const Markup row = row_of(machine);
        if (!room.take(row.size())) break;
        rows += row;
        ++shown;
    }
    Markup list = element("div", {{"class", "card list"}}, rows);
    if (shown < fleet.machines.size())
        list += element("p", {{"class", "lead"}},
                        text(fmt::format("and {} more: --json", fleet.machines.size() - shown)));
    return list;
}

Page page_of(const Fleet& fleet) {
    Page page;
    page.headline = headline(fleet);
    page.title = page.headline + " - orphan-reaper";
    page.what = "merge";
    page.mark = fleet.machines.empty() ? Mark::kept : mark_of(fleet.machines.front());
    page.facts =
        text(fmt::format("the reports of {}", count_text(fleet.machines.size(), "machine")));
    page.opening = render(tiles_of(fleet)) + remarks_box(fleet.remarks);
    page.sections.push_back({"machines", "Machines", "The worst first. Open a row to see why.",
                             fleet.machines.size(), machines_of(fleet)});
    page.last_line =
        fmt::format("{}. orphan-reaper {}", exit_line(fleet.exit_status), fleet.version);
    return page;
}

}  // namespace

}  // namespace html

std::string render_fleet_html(const Fleet& fleet) {
    return html::render(html::page_of(fleet));
}

}  // namespace reaper::agent
