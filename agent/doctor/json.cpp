#include <nlohmann/json.hpp>

#include "agent/doctor/view.hpp"
#include "agent/report/json/parts.hpp"

namespace reaper::agent {

namespace {

using Json = nlohmann::ordered_json;

Json value_json(const FactValue& value) {
    return std::visit(
        [](const auto& held) -> Json {
            using Held = std::remove_cvref_t<decltype(held)>;
            if constexpr (std::is_same_v<Held, std::monostate>)
                return nullptr;
            else if constexpr (std::is_same_v<Held, std::vector<std::string>>)
                return list(held);
            else
                return held;
        },
        value);
}

Json finding_json(const Finding& finding) {
    Json facts = Json::object();
    for (const auto& [name, value] : finding.facts) facts[name] = value_json(value);
    return {{"id", finding.id},
            {"status", to_string(finding.status)},
            {"message", finding.message},
            {"fix", finding.fix.empty() ? Json(nullptr) : Json(finding.fix)},
            {"facts", std::move(facts)}};
}

}  // namespace

std::string render_doctor_json(const DoctorView& view) {
    const FindingCount counted = count(view.findings);
    Json json = {{"schema", "orphan-reaper/doctor/1"},
                 {"version", view.version},
                 {"command", "doctor"},
                 {"user", view.user},
                 {"strict", view.strict}};
    json["checks"] = Json::array();
    for (const Finding& finding : view.findings) json["checks"].push_back(finding_json(finding));
    json["summary"] = {
        {"ok", counted.ok}, {"warn", counted.warn}, {"fail", counted.fail}, {"skip", counted.skip}};
    json["exit_status"] = static_cast<int>(view.exit_status);
    // `replace` cannot throw half-way through.
    return json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace reaper::agent
