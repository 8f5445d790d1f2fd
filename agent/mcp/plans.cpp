#include "agent/mcp/plans.hpp"

#include <algorithm>
#include <utility>

namespace reaper::agent {

namespace {

constexpr std::size_t kMostPlans = 8;

}  // namespace

std::string SweepPlans::keep(const ToolCall& call, const ToolAnswer& answer,
                             Clock::time_point now) {
    std::string id = answer.plan.empty() ? std::string() : random_();
    if (id.empty()) return id;
    plans_.push_back({id,
                      {},
                      answer.plan,
                      call.arguments,
                      answer.question,
                      text_member(answer.structured, "command"),
                      now + kPlanLife});
    if (plans_.size() > kMostPlans) plans_.pop_front();
    return id;
}

SweepPlan* SweepPlans::find(const std::string& id, Clock::time_point now) {
    std::erase_if(plans_, [now](const SweepPlan& plan) { return plan.dies <= now; });
    const auto found = std::ranges::find(plans_, id, &SweepPlan::id);
    return found == plans_.end() ? nullptr : &*found;
}

std::string SweepPlans::new_state(SweepPlan& plan) const {
    plan.state = random_();
    return plan.state;
}

SweepPlan SweepPlans::take(const SweepPlan& plan) {
    const auto found = std::ranges::find(plans_, plan.id, &SweepPlan::id);
    SweepPlan taken = std::move(*found);
    plans_.erase(found);
    return taken;
}

}  // namespace reaper::agent
