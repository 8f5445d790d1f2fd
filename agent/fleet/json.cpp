#include <nlohmann/json.hpp>

#include "agent/fleet/fleet.hpp"
#include "agent/report/json/parts.hpp"

namespace reaper::agent {

namespace {

using Json = nlohmann::ordered_json;

Json to_json(const FleetProcess& process) {
    return {{"pid", process.pid},
            {"user", process.user},
            {"kind", process.kind},
            {"home", process.home},
            {"verdict", process.verdict},
            {"result", process.result.empty() ? Json(nullptr) : Json(process.result)},
            {"age_s", process.age},
            {"memory_bytes", process.memory_bytes}};
}

Json to_json(const FleetMachine& machine) {
    Json json = {{"file", machine.file},
                 {"name", name_of(machine)},
                 {"trouble", machine.trouble.empty() ? Json(nullptr) : Json(machine.trouble)}};
    if (!machine.trouble.empty()) return json;
    json["command"] = machine.command;
    json["dry_run"] = machine.dry_run;
    json["started_at"] = machine.started_at;
    json["version"] = machine.version;
    json["complete"] = machine.complete;
    json["ready"] = machine.ready ? Json(*machine.ready) : Json(nullptr);
    json["in_the_way"] = list(machine.in_the_way);
    json["left"] = left_of(machine);
    json["reported"] = machine.reported;
    json["reaped"] = machine.reaped;
    json["failed"] = machine.failed;
    json["kept"] = machine.kept;
    json["reclaimable_bytes"] = machine.reclaimable_bytes;
    json["reclaimed_bytes"] = machine.reclaimed_bytes;
    json["leaks"] = Json::array();
    for (const FleetProcess& process : machine.leaks) json["leaks"].push_back(to_json(process));
    json["remarks"] = list(machine.remarks);
    json["exit_status"] = machine.exit_status;
    return json;
}

}  // namespace

std::string render_fleet_json(const Fleet& fleet) {
    const FleetSum sum = sum_of(fleet);
    Json json = {{"schema", "orphan-reaper/fleet/1"}, {"version", fleet.version}};
    json["machines"] = Json::array();
    for (const FleetMachine& machine : fleet.machines) json["machines"].push_back(to_json(machine));
    json["summary"] = {{"machines", fleet.machines.size()},
                       {"not_read", sum.unread},
                       {"leaking", sum.leaking},
                       {"not_ready", sum.not_ready},
                       {"left", sum.left},
                       {"reported", sum.reported},
                       {"reaped", sum.reaped},
                       {"failed", sum.failed},
                       {"reclaimable_bytes", sum.reclaimable_bytes},
                       {"reclaimed_bytes", sum.reclaimed_bytes}};
    json["remarks"] = list(fleet.remarks);
    json["exit_status"] = static_cast<int>(fleet.exit_status);
    // `replace` cannot throw half-way through; ASCII only.
    return json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace reaper::agent
