// The part of a session that is about the one tool that ends processes: no plan, no sweep; no yes
// of a person, no sweep.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "agent/mcp/consent.hpp"
#include "agent/mcp/session.hpp"

namespace reaper::agent {

namespace {

constexpr std::chrono::seconds kBetweenSweeps{30};

std::string to_type(const SweepPlan& plan) {
    return fmt::format("the person can type in a terminal: {}", plan.command);
}

}  // namespace

// Not empty: why no sweep can begin now.
std::string McpSession::busy(Clock::time_point now) const {
    const auto is_sweep = [](const Request& request) { return request.call.tool == "sweep"; };
    const bool waits = std::ranges::any_of(queue_, is_sweep);
    if (waits || (running_ && is_sweep(*running_))) return "a sweep is at work: wait for its end";
    if (!swept_ || now - *swept_ >= kBetweenSweeps) return {};
    const auto left = std::chrono::ceil<std::chrono::seconds>(*swept_ + kBetweenSweeps - now);
    return fmt::format("one sweep in {} s: try again in {} s", kBetweenSweeps.count(),
                       left.count());
}

void McpSession::ask_to_sweep(Request request, const Json& params, Clock::time_point now) {
    SweepPlan* plan = plans_.find(text_member(request.call.arguments, "plan_id"), now);
    if (plan == nullptr)
        return fail_work(request,
                         "there is no such plan: it was used, is older than 5 minutes, or never "
                         "was; call plan_sweep again");
    if (const std::string why = busy(now); !why.empty()) return fail_work(request, why);
    if (!request.client.can_be_asked)
        return fail_work(request,
                         "nothing was ended: this client cannot ask a person (it does not declare "
                         "elicitation); " +
                             to_type(*plan));
    if (request.client.is_modern) return ask_modern(std::move(request), *plan, params, now);
    if (question_)
        return fail_work(request, "a person is being asked about another plan: wait for that");
    ask_legacy(std::move(request), *plan);
}

// The request ends with the question, and comes again with the answer and the state of the
// question, which only this process knows. Another state is never an answer.
void McpSession::ask_modern(Request request, SweepPlan& plan, const Json& params,
                            Clock::time_point now) {
    const Json& state = member_of(params, "requestState");
    const Json& response = input_response(params);
    const bool is_known = !plan.state.empty() && state == Json(plan.state);
    if (!state.is_null() && !is_known)
        return fail(request.id, kInvalidParams, "requestState is not of this plan");
    if (is_known && consent_of(response) != Consent::no_answer) {
        const Json result = response;
        return decide(std::move(request), plans_.take(plan), result, now);
    }
    if (plans_.new_state(plan).empty())
        return fail_work(request, "there are no random numbers: nothing was ended");
    answer(request.id, request.client, input_required(plan));
}

void McpSession::ask_legacy(Request request, const SweepPlan& plan) {
    question_ = {fmt::format("orphan-reaper-{}", ++questions_), std::move(request),
                 plans_.take(plan)};
    output_ += request_line(question_->id, "elicitation/create", consent_form(question_->plan));
}

void McpSession::take_response(const RpcMessage& message, Clock::time_point now) {
    if (!question_ || message.id != Json(question_->id)) return;
    Question question = *std::exchange(question_, std::nullopt);
    decide(std::move(question.request), std::move(question.plan), message.result, now);
}

void McpSession::decide(Request request, SweepPlan plan, const Json& result,
                        Clock::time_point now) {
    switch (consent_of(result)) {
        case Consent::no_answer:
            return fail_work(request,
                             "nothing was ended: the client did not ask; " + to_type(plan));
        case Consent::refused:
            return fail_work(request, "nothing was ended: the person did not agree");
        case Consent::given: break;
    }
    // A person may take their time: another sweep can have begun meanwhile.
    if (const std::string why = busy(now); !why.empty()) return fail_work(request, why);
    request.call.plan = std::move(plan.ends);
    request.call.arguments = std::move(plan.arguments);
    enqueue(std::move(request));
}

void McpSession::expire(Clock::time_point now) {
    if (!question_ || now < question_->plan.dies) return;
    const Question question = *std::exchange(question_, std::nullopt);
    fail_work(question.request, "nothing was ended: no answer came within the life of the plan");
}

std::optional<McpSession::Clock::time_point> McpSession::next_expiry() const {
    if (!question_) return std::nullopt;
    return question_->plan.dies;
}

}  // namespace reaper::agent
