#include "agent/observe/judged.hpp"

#include <algorithm>

namespace reaper::agent {

using policy::Judgement;
using scanner::Pid;
using scanner::ProcessFacts;

const Judgement* find_judgement(const Judged& judged, Pid pid) {
    const auto found = std::ranges::find(
        judged.judgements, pid, [](const Judgement& judgement) { return judgement.identity.pid; });
    return found == judged.judgements.end() ? nullptr : &*found;
}

const ProcessFacts* find_facts(const Judged& judged, Pid pid) {
    const auto& candidates = judged.look.facts.candidates;
    const auto found = std::ranges::find(
        candidates, pid, [](const ProcessFacts& facts) { return facts.identity.pid; });
    return found == candidates.end() ? nullptr : &*found;
}

}  // namespace reaper::agent
