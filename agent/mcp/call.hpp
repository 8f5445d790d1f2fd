// One call of a tool, and its answer: what goes to the copy of this program that does the work, and
// what comes back. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/mcp/rpc.hpp"
#include "agent/sweep/planned_ends.hpp"

namespace reaper::agent {

struct ToolCall {
    std::string tool;
    Json arguments = Json::object();
    PlannedEnds plan = {};  // of `sweep`
    std::string from = {};  // "mcp:NAME", for the history
};

struct ToolAnswer {
    Json structured = nullptr;  // as the tool's output schema has it
    std::string trouble = {};   // not empty: the work failed, and there is nothing else
    // Of `plan_sweep`: what it would end, and lines about that for a person.
    PlannedEnds plan = {};
    std::vector<std::string> question = {};
};

// Does the work of a call. May take long: the server runs it in a copy of this program.
using ToolWork = std::function<ToolAnswer(const ToolCall&)>;

[[nodiscard]] ToolAnswer tool_trouble(std::string why);
[[nodiscard]] std::string write_answer(const ToolAnswer& answer);
// None: the text is not what write_answer() returns.
[[nodiscard]] std::optional<ToolAnswer> read_answer(std::string_view text);

}  // namespace reaper::agent
