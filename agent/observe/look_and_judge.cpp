#include <set>
#include <utility>

#include "agent/observe/judged.hpp"
#include "agent/reaping/descriptors.hpp"
#include "policy/match/member.hpp"
#include "policy/verdict/suspects.hpp"

namespace reaper::agent {

namespace {

// Reads what is read only of processes that may be leaked.
void read_context(const Observer& observer, const Setup& setup, Look& look) {
    look.facts.scope_uids = setup.settings.uids;
    const auto suspects = policy::find_suspects(policy::find_members(look.facts, look.rules),
                                                look.facts.machine, setup.settings);
    observer.find_holders(look.facts, suspects.hostless);
    std::set<scanner::Pid> all = suspects.hostless;
    all.insert(suspects.hosted.begin(), suspects.hosted.end());
    observer.ask_managers(look.facts, all);
    observer.look_below(look.facts, suspects.to_end);
}

}  // namespace

Result<Judged> look_and_judge(const Observer& observer, const Setup& setup,
                              const KeepHandles& held) {
    auto look = observer.look(held, [&](Look& seen) { read_context(observer, setup, seen); });
    if (!look) return tl::unexpected(look.error());
    auto judgements = policy::judge(look->facts, look->rules, setup.settings, {});
    Judged judged{std::move(*look), std::move(judgements)};
    if (!judged.look.trouble.empty())
        judged.remarks.push_back(describe_descriptor_limit() + ": " + judged.look.trouble);
    return judged;
}

}  // namespace reaper::agent
