#include "policy/verdict/plan.hpp"

#include <algorithm>
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

}  // namespace

Plan make_plan(const std::vector<Judgement>& judgements, std::size_t max_kills) {
    Plan plan;
    std::copy_if(judgements.begin(), judgements.end(), std::back_inserter(plan.steps),
                 [](const Judgement& judgement) { return judgement.action == Action::reap; });
    std::sort(plan.steps.begin(), plan.steps.end(), comes_before);
    if (plan.steps.size() > max_kills) {
        plan.refusal =
            fmt::format("{} processes would be ended, and --max-kills is {}: none was touched",
                        plan.steps.size(), max_kills);
    }
    return plan;
}

}  // namespace reaper::policy
