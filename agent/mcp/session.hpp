// What the server says to what the client says, in both eras of the protocol. Pure: lines in, lines
// and calls out; the clock and the random numbers come from the caller.
#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "agent/mcp/call.hpp"
#include "agent/mcp/client.hpp"
#include "agent/mcp/plans.hpp"

namespace reaper::agent {

class McpSession {
   public:
    using Clock = std::chrono::steady_clock;

    McpSession(bool allows_sweep, RandomText random);

    // Takes one line of the client. What is to be answered at once is in take_output() then.
    void take(std::string_view line, Clock::time_point now);
    void refuse_long_line();
    // Gives up questions that no answer came to in time.
    void expire(Clock::time_point now);
    [[nodiscard]] std::optional<Clock::time_point> next_expiry() const;

    // The next call to be worked on; none: there is none, or one is being worked on. Each is to be
    // finished.
    [[nodiscard]] std::optional<ToolCall> begin_next(Clock::time_point now);
    // The client wants no answer to that call any more.
    [[nodiscard]] bool is_cancelled() const { return running_ && running_->is_cancelled; }
    void finish(ToolAnswer answer, Clock::time_point now);

    // All lines that are to be sent, in their order; once.
    [[nodiscard]] std::string take_output();

   private:
    struct Request {
        Json id;
        McpClient client;
        ToolCall call;
        bool is_cancelled = false;
    };
    // A request that waits until a person has answered; of the older era.
    struct Question {
        std::string id;
        Request request;
        SweepPlan plan;
    };

    void take_request(const RpcMessage& message, Clock::time_point now);
    void take_response(const RpcMessage& message, Clock::time_point now);
    void cancel(const Json& id);
    void initialize(const RpcMessage& message);
    void call_tool(const RpcMessage& message, const McpClient& client, Clock::time_point now);
    void ask_to_sweep(Request request, const Json& params, Clock::time_point now);
    void ask_modern(Request request, SweepPlan& plan, const Json& params, Clock::time_point now);
    void ask_legacy(Request request, const SweepPlan& plan);
    void decide(Request request, SweepPlan plan, const Json& result, Clock::time_point now);
    void enqueue(Request request);
    [[nodiscard]] std::string busy(Clock::time_point now) const;
    void answer(const Json& id, const McpClient& client, Json result);
    void fail(const Json& id, int code, std::string_view message, const Json& data = nullptr);
    void fail_work(const Request& request, const std::string& why);

    Json tools_;
    McpClient legacy_;  // as initialize left it
    SweepPlans plans_;
    std::deque<Request> queue_;
    std::optional<Request> running_;
    std::optional<Question> question_;
    int questions_ = 0;
    std::optional<Clock::time_point> swept_;  // the last sweep began
    std::string output_;
};

}  // namespace reaper::agent
