#include "agent/verifier.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace reaper::agent {

namespace {

using policy::Judgement;
using policy::Weight;

std::string reason_of(const Judgement& judgement) {
    for (const policy::Evidence& piece : judgement.evidence) {
        if (piece.weight == Weight::veto || piece.weight == Weight::against) return piece.detail;
    }
    return "the evidence is gone";
}

}  // namespace

std::optional<std::string> difference(const Judgement& planned, const std::vector<Judgement>& now) {
    const auto found = std::find_if(now.begin(), now.end(), [&](const Judgement& judgement) {
        return judgement.identity.pid == planned.identity.pid;
    });
    if (found == now.end()) return "it is no longer what it was: another program runs in it";
    if (compare(planned.identity, found->identity) != scanner::Sameness::same) return "it is another process now";
    const bool same_program =
        found->family == planned.family && found->role == planned.role && found->home == planned.home;
    if (!same_program) return "it is no longer what it was: it serves something else now";
    if (found->action == policy::Action::reap && found->verdict == planned.verdict) return std::nullopt;
    return fmt::format("now {}: {}", to_string(found->verdict), reason_of(*found));
}

Result<std::optional<std::string>> FreshVerifier::objection(const Target& target) {
    if (const auto fresh = lookout_.refresh(look_.facts, target.handle); !fresh) return tl::unexpected(fresh.error());
    for (const scanner::Pid pid : target.step.relies_on) {
        const auto handle = look_.handles.find(pid);
        const auto fresh = handle == look_.handles.end() ? failure(std::errc::no_such_process, "look at", "its daemon")
                                                         : lookout_.refresh(look_.facts, handle->second);
        if (!fresh) return fmt::format("pid {}, which stays in its place, is gone or unreadable", pid);
    }
    return difference(target.step, policy::judge(look_.facts, look_.rules, setup_.settings));
}

}  // namespace reaper::agent
