#include <chrono>
#include <string>

#include "agent/mcp/line_splitter.hpp"
#include "agent/mcp/session.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace reaper;
using namespace reaper::agent;

namespace {

constexpr std::size_t kLongest = 4096;

// Random numbers that no input can guess would be no use here: it may guess these.
ToolAnswer answer_to(const ToolCall& call) {
    ToolAnswer answer;
    answer.structured = {{"command", "orphan-reaper sweep"}};
    if (call.tool == "plan_sweep")
        answer.plan = {{"boot:1:2:3", {.verdict = policy::Verdict::orphan, .digest = "digest"}}};
    return answer;
}

// Each line of the server is a message: ASCII, with an id or a method.
void check_output(const std::string& output) {
    for (std::size_t at = 0; at < output.size(); at = output.find('\n', at) + 1) {
        const std::string line = output.substr(at, output.find('\n', at) - at);
        for (const char c : line) fuzz::require(c >= 0x20 && c <= 0x7e);
        const Json message = Json::parse(line, nullptr, false);
        fuzz::require(message.is_object() && text_member(message, "jsonrpc") == "2.0");
        const bool answers = message.contains("result") != message.contains("error");
        fuzz::require(message.contains("id") && (answers || message.contains("method")));
    }
}

}  // namespace

// Whatever lines come: the answers are messages, and nothing is swept that was not planned.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    McpSession::Clock::time_point now{std::chrono::hours(1)};
    int made = 0;
    McpSession session(true, [&made] { return std::to_string(made++); });
    LineSplitter splitter(kLongest);
    for (const SplitLine& line : splitter.add(fuzz::text_of(data, size))) {
        if (line.is_too_long)
            session.refuse_long_line();
        else
            session.take(line.text, now);
        while (const auto call = session.begin_next(now)) {
            fuzz::require(call->tool != "sweep" || !call->plan.empty());
            session.finish(answer_to(*call), now);
        }
        check_output(session.take_output());
        now += std::chrono::seconds(1);
        session.expire(now);
    }
    return 0;
}
