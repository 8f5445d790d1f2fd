// A session with a client that is made up: the clock stands still until a test moves it.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "agent/mcp/session.hpp"
#include "agent/mcp/tools.hpp"
#include "tests/support/catch.hpp"

namespace reaper::agent::test {

inline const std::string planned_identity = "boot:4026531836:4711:99";

// As the copy that plans would answer.
inline ToolAnswer planned() {
    ToolAnswer answer;
    answer.plan = {{planned_identity, {policy::Verdict::orphan, "00c0ffee00c0ffee"}}};
    answer.question = {"pid 4711, bridge/headless, orphan: parent is init (pid 1)"};
    answer.structured = {{"planned", 1},
                         {"reclaimable_bytes", 0},
                         {"complete", true},
                         {"command", "orphan-reaper sweep --family bridge"},
                         {"processes", Json::array()},
                         {"omitted", 0},
                         {"remarks", Json::array()}};
    return answer;
}

class Conversation {
   public:
    explicit Conversation(bool allows_sweep = true)
        : session(allows_sweep, [this] { return std::string(31, '0') + digits_[made_++ % 16]; }) {}

    // Sends one line, and returns what is answered at once.
    std::vector<Json> send(const Json& line) { return send_text(json_text(line)); }
    std::vector<Json> send_text(const std::string& line) {
        session.take(line, now);
        return output();
    }
    std::vector<Json> output() {
        std::vector<Json> lines;
        const std::string text = session.take_output();
        for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
            lines.push_back(Json::parse(text.substr(at, text.find('\n', at) - at)));
        return lines;
    }
    Json one(const Json& line) {
        const auto lines = send(line);
        REQUIRE(lines.size() == 1);
        return lines.front();
    }

    // A request of the old era.
    Json request(const std::string& method, const Json& params = Json::object()) {
        return {{"jsonrpc", "2.0"}, {"id", ++id}, {"method", method}, {"params", params}};
    }
    // One of the new era.
    Json modern(const std::string& method, Json params = Json::object(),
                const Json& capabilities = Json::object()) {
        params["_meta"] = {
            {"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
            {"io.modelcontextprotocol/clientInfo", {{"name", "new client"}, {"version", "1"}}},
            {"io.modelcontextprotocol/clientCapabilities", capabilities}};
        return request(method, params);
    }
    Json initialize(const std::string& version, const Json& capabilities = Json::object()) {
        return one(request("initialize", {{"protocolVersion", version},
                                          {"capabilities", capabilities},
                                          {"clientInfo", {{"name", "old"}, {"version", "1"}}}}));
    }
    static Json tool(const std::string& name, const Json& arguments = Json::object()) {
        return {{"name", name}, {"arguments", arguments}};
    }

    // What would be worked on now; its answer is `answer`.
    ToolCall work(ToolAnswer answer) {
        const auto call = session.begin_next(now);
        REQUIRE(call);
        session.finish(std::move(answer), now);
        return *call;
    }
    bool works() { return session.begin_next(now).has_value(); }

    // Returns the id of a plan.
    std::string plan(const Json& arguments = Json::object()) {
        session.take(json_text(request("tools/call", tool("plan_sweep", arguments))), now);
        work(planned());
        const auto lines = output();
        REQUIRE(lines.size() == 1);
        return lines.front()["result"]["structuredContent"]["plan_id"];
    }

    McpSession::Clock::time_point now{std::chrono::hours(1)};
    int id = 0;

   private:
    std::string digits_ = "0123456789abcdef";
    std::size_t made_ = 0;

   public:
    McpSession session;
};

inline bool says(const Json& answer, const std::string& words) {
    return json_text(answer).find(words) != std::string::npos;
}

}  // namespace reaper::agent::test
