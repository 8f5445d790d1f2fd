#include "policy/verdict/plan.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include <fmt/format.h>

namespace reaper::policy {

namespace {

// A launcher comes after its bridge: it waits for the end of that, and would be signalled twice if
// it came first.
bool comes_before(const Judgement& left, const Judgement& right) {
    if (left.launcher != right.launcher) return right.launcher;
    return left.identity.pid < right.identity.pid;
}

Counts count_by_user(const std::vector<Judgement>& steps) {
    Counts counts;
    for (const Judgement& step : steps) ++counts[step.uid];
    return counts;
}

std::size_t count_of(const Counts& counts, scanner::Uid user) {
    const auto found = counts.find(user);
    return found == counts.end() ? 0 : found->second;
}

// Moves the steps of users who have too many to what is refused.
void refuse_excess(Plan& plan, std::size_t max_kills, const Counts& earlier) {
    const Counts wanted = count_by_user(plan.steps);
    const auto is_allowed = [&](const Judgement& step) {
        return count_of(wanted, step.uid) + count_of(earlier, step.uid) <= max_kills;
    };
    std::ranges::copy_if(plan.steps, std::back_inserter(plan.refused), std::not_fn(is_allowed));
    std::erase_if(plan.steps, std::not_fn(is_allowed));
    if (plan.refused.empty()) return;
    const scanner::Uid user = plan.refused.front().uid;
    const std::string whose =
        plan.steps.empty() && wanted.size() == 1 ? "" : fmt::format(" of user id {}", user);
    plan.refusal =
        fmt::format("{} processes{} would be ended, and --max-kills is {}: none was touched",
                    count_of(wanted, user), whose, max_kills);
}

}  // namespace

Plan make_plan(const std::vector<Judgement>& judgements, std::size_t max_kills,
               const Counts& earlier) {
    Plan plan;
    std::copy_if(judgements.begin(), judgements.end(), std::back_inserter(plan.steps),
                 [](const Judgement& judgement) { return judgement.action == Action::reap; });
    std::sort(plan.steps.begin(), plan.steps.end(), comes_before);
    refuse_excess(plan, max_kills, earlier);
    return plan;
}

}  // namespace reaper::policy
