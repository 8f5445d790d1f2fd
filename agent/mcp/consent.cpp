#include "agent/mcp/consent.hpp"

#include <fmt/format.h>

#include "agent/system/format.hpp"

namespace reaper::agent {

namespace {

constexpr std::string_view kBox = "confirm";

std::string count_of(const SweepPlan& plan) {
    const std::size_t count = plan.ends.size();
    return fmt::format("{} process{}", count, count == 1 ? "" : "es");
}

}  // namespace

Json consent_form(const SweepPlan& plan) {
    const std::string message = fmt::format(
        "orphan-reaper is asked to end {} for good, by the signal TERM, and KILL where that is "
        "not enough. What has changed since it was planned is left alone.\n{}",
        count_of(plan), fmt::join(plan.question, "\n"));
    const Json box = {
        {"type", "boolean"}, {"title", fmt::format("End {}?", count_of(plan))}, {"default", false}};
    return {
        {"message", message},
        {"requestedSchema",
         {{"type", "object"}, {"properties", {{kBox, box}}}, {"required", Json::array({kBox})}}}};
}

Consent consent_of(const Json& result) {
    const std::string action = text_member(result, "action");
    if (action.empty()) return Consent::no_answer;
    const bool ticked = member_of(member_of(result, "content"), kBox) == Json(true);
    return action == "accept" && ticked ? Consent::given : Consent::refused;
}

Json input_required(const SweepPlan& plan) {
    Json form = {{"mode", "form"}};
    form.update(consent_form(plan));
    return {{"resultType", "input_required"},
            {"inputRequests", {{kBox, {{"method", "elicitation/create"}, {"params", form}}}}},
            {"requestState", plan.state}};
}

const Json& input_response(const Json& params) {
    return member_of(member_of(params, "inputResponses"), kBox);
}

}  // namespace reaper::agent
