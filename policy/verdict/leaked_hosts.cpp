#include "policy/verdict/leaked_hosts.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

namespace reaper::policy {

namespace {

using scanner::Pid;

// A host that is only reported keeps it no more. What is abandoned is judged already.
void note_leaked(const Judgement& host, Judgement& judgement) {
    if (judgement.verdict == Verdict::abandoned) return;
    judgement.evidence.push_back(
        {"host.leaked", Weight::note,
         fmt::format("its host (pid {}) is leaked itself", host.identity.pid)});
    if (host.action != Action::report) return;
    for (Evidence& piece : judgement.evidence) {
        if (piece.code == "veto.live_host")
            piece = {"parent.live", Weight::against, std::move(piece.detail)};
    }
    judgement.verdict = Verdict::held;
    judgement.action = Action::report;
}

}  // namespace

// Goes down from the hosts, as a helper can be the host of another: npm of the server that it
// started. A host that is cut off, a duplicate, or held by another process may still be of use to
// its helpers, unless the host of that one is leaked and only reported, too: codex below its
// launcher. One that will be ended takes them along, or they become orphans.
void leave_with_leaked_hosts(std::vector<Judgement>& judgements) {
    std::unordered_multimap<Pid, Judgement*> by_host;
    std::vector<const Judgement*> hosts;
    for (Judgement& judgement : judgements) {
        const bool hosted =
            judgement.verdict == Verdict::attached ||
            (judgement.verdict == Verdict::abandoned && judgement.action == Action::report);
        if (hosted && judgement.host > 0) by_host.emplace(judgement.host, &judgement);
        if (is_ended_by_default(judgement.verdict)) hosts.push_back(&judgement);
    }
    while (!hosts.empty()) {
        const Judgement& host = *hosts.back();
        hosts.pop_back();
        const auto [first, last] = by_host.equal_range(host.identity.pid);
        for (auto at = first; at != last; ++at) {
            Judgement& helper = *at->second;
            note_leaked(host, helper);
            if (host.action == Action::report) hosts.push_back(&helper);
        }
    }
}

// They have to end first; what they could still write to is as lost as they are.
void note_leaked_holders(const std::vector<Member>& members, std::vector<Judgement>& judgements) {
    std::set<Pid> leaked;
    for (const Judgement& judgement : judgements) {
        if (is_leak(judgement.verdict)) leaked.insert(judgement.identity.pid);
    }
    for (std::size_t at = 0; at < members.size(); ++at) {
        const auto& input = members[at].facts->standard_input;
        const bool held = judgements[at].verdict == Verdict::held && input.ok();
        if (!held || input.value.holders.empty()) continue;
        const bool lost =
            std::ranges::all_of(input.value.holders, [&](Pid pid) { return leaked.contains(pid); });
        if (lost)
            judgements[at].evidence.push_back(
                {"stdin.held_by_leaked", Weight::for_kill,
                 "only processes that are leaked themselves can write to its stdin"});
    }
}

}  // namespace reaper::policy
