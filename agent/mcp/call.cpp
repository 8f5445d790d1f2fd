#include "agent/mcp/call.hpp"

#include <utility>

namespace reaper::agent {

ToolAnswer tool_trouble(std::string why) {
    ToolAnswer answer;
    answer.trouble = std::move(why);
    return answer;
}

std::string write_answer(const ToolAnswer& answer) {
    Json plan = Json::object();
    for (const auto& [identity, end] : answer.plan)
        plan[identity] = {{"verdict", to_string(end.verdict)}, {"digest", end.digest}};
    return json_text({{"structured", answer.structured},
                      {"trouble", answer.trouble},
                      {"plan", plan},
                      {"question", answer.question}});
}

std::optional<ToolAnswer> read_answer(std::string_view text) {
    const Json read = Json::parse(text, nullptr, false);
    if (!read.is_object()) return std::nullopt;
    ToolAnswer answer{member_of(read, "structured"), text_member(read, "trouble"), {}, {}};
    for (const auto& [identity, end] : member_of(read, "plan").items()) {
        const auto verdict = policy::verdict_from(text_member(end, "verdict"));
        if (!verdict) return std::nullopt;
        answer.plan.emplace(identity, PlannedEnd{*verdict, text_member(end, "digest")});
    }
    for (const Json& line : member_of(read, "question"))
        answer.question.push_back(line.get<std::string>());
    return answer;
}

}  // namespace reaper::agent
