#include "agent/fleet/fleet.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "agent/system/format.hpp"
#include "policy/text/escape.hpp"

namespace reaper::agent {

namespace {

// What the exit status of a fleet is, the worst first: not known counts most.
constexpr ExitStatus kWorstFirst[] = {ExitStatus::incomplete, ExitStatus::not_ended,
                                      ExitStatus::blocked, ExitStatus::leaks_left,
                                      ExitStatus::clean};

// A machine whose report could not be made whole is one that could not be looked at.
ExitStatus status_of(const FleetMachine& machine) {
    const auto found = std::ranges::find(kWorstFirst, static_cast<ExitStatus>(machine.exit_status));
    return machine.trouble.empty() && found != std::end(kWorstFirst) ? *found
                                                                     : ExitStatus::incomplete;
}

auto rank_of(const FleetMachine& machine) {
    const auto place = std::ranges::find(kWorstFirst, status_of(machine)) - std::begin(kWorstFirst);
    return std::tuple(machine.trouble.empty(), place, name_of(machine), machine.started_at,
                      machine.file);
}

bool is_about_the_same(const FleetMachine& one, const FleetMachine& other) {
    const auto key = [](const FleetMachine& machine) {
        return std::tie(machine.name, machine.system, machine.scope, machine.command,
                        machine.dry_run);
    };
    return one.trouble.empty() && other.trouble.empty() && key(one) == key(other);
}

// Of two of the same second the one with more leaks counts.
void leave_out_older(Fleet& fleet) {
    auto& machines = fleet.machines;
    std::ranges::sort(machines, std::greater(), [](const FleetMachine& machine) {
        return std::tuple(machine.started_at, left_of(machine), machine.file);
    });
    for (std::size_t at = 0; at < machines.size(); ++at) {
        const auto older = [&](const FleetMachine& one) {
            const bool left_out = is_about_the_same(machines[at], one);
            if (left_out)
                fleet.remarks.push_back(fmt::format(
                    "{} is left out: {} is no older report of {}", policy::escape(one.file, 200),
                    policy::escape(machines[at].file, 200), policy::escape(one.name, 200)));
            return left_out;
        };
        const auto begin = machines.begin() + static_cast<std::ptrdiff_t>(at) + 1;
        machines.erase(std::remove_if(begin, machines.end(), older), machines.end());
    }
}

// Where two machines have the same name, the file tells them apart.
void tell_apart(std::vector<FleetMachine>& machines) {
    std::map<std::string, std::size_t> count;
    for (const FleetMachine& machine : machines) ++count[machine.name];
    for (FleetMachine& machine : machines) {
        if (!machine.name.empty() && count[machine.name] > 1)
            machine.name += fmt::format(" ({})", machine.file.substr(machine.file.rfind('/') + 1));
    }
}

std::string machines_text(const Fleet& fleet, const FleetSum& sum) {
    const std::string all = count_text(fleet.machines.size(), "machine") + ": ";
    if (sum.left == 0) return all + "nothing leaked is left";
    const std::size_t machines = fleet.machines.size();
    const std::string some = sum.leaking == machines ? "all" : fmt::format("{}", sum.leaking);
    const std::string where = machines == 1 ? "" : fmt::format(" on {} of them", some);
    return all + fmt::format("{}{}, {} would come back",
                             count_text(static_cast<std::size_t>(sum.left), "leaked helper"), where,
                             size_text(sum.reclaimable_bytes));
}

}  // namespace

std::uint64_t left_of(const FleetMachine& machine) {
    return machine.to_reap - std::min(machine.to_reap, machine.reaped);
}

const std::string& name_of(const FleetMachine& machine) {
    return machine.name.empty() ? machine.file : machine.name;
}

Fleet merge(std::vector<FleetMachine> machines) {
    Fleet fleet;
    fleet.machines = std::move(machines);
    leave_out_older(fleet);
    tell_apart(fleet.machines);
    std::ranges::sort(fleet.machines, {}, rank_of);
    for (const ExitStatus status : kWorstFirst) {
        const bool found = std::ranges::any_of(
            fleet.machines, [&](const FleetMachine& one) { return status_of(one) == status; });
        if (!found) continue;
        fleet.exit_status = status;
        break;
    }
    return fleet;
}

FleetSum sum_of(const Fleet& fleet) {
    FleetSum sum;
    for (const FleetMachine& machine : fleet.machines) {
        sum.unread += machine.trouble.empty() ? 0U : 1U;
        sum.leaking += left_of(machine) > 0 ? 1U : 0U;
        sum.not_ready += machine.ready.value_or(true) ? 0U : 1U;
        sum.left += left_of(machine);
        sum.reported += machine.reported;
        sum.reaped += machine.reaped;
        sum.failed += machine.failed;
        sum.reclaimable_bytes += machine.reclaimable_bytes -
                                 std::min(machine.reclaimable_bytes, machine.reclaimed_bytes);
        sum.reclaimed_bytes += machine.reclaimed_bytes;
    }
    return sum;
}

std::string headline(const Fleet& fleet) {
    const FleetSum sum = sum_of(fleet);
    std::string text = machines_text(fleet, sum);
    if (sum.reaped > 0)
        text += fmt::format("; {} ended, {} came back", sum.reaped, size_text(sum.reclaimed_bytes));
    if (sum.failed > 0) text += fmt::format("; {} did not end", sum.failed);
    if (sum.not_ready > 0) text += fmt::format("; {} not ready", sum.not_ready);
    if (sum.unread > 0) text += fmt::format("; {} not read", sum.unread);
    return text;
}

}  // namespace reaper::agent
