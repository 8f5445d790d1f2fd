#include "agent/observe/second_look.hpp"

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

std::optional<std::string> difference(const Judgement& planned, const Judgement* now) {
    if (now == nullptr) return "it is no longer what it was: another program runs in it";
    if (compare(planned.identity, now->identity) != scanner::Sameness::same)
        return "it is another process now";
    const bool same_program =
        now->family == planned.family && now->role == planned.role && now->home == planned.home;
    if (!same_program) return "it is no longer what it was: it serves something else now";
    if (now->action == policy::Action::reap && now->verdict == planned.verdict) return std::nullopt;
    return fmt::format("now {}: {}", to_string(now->verdict), reason_of(*now));
}

Result<std::optional<std::string>> FreshVerifier::objection(const Target& target) {
    const auto lost = observer_.refresh(look_, target.handle, target.step.relies_on, memory_);
    if (!lost) return tl::unexpected(lost.error());
    if (*lost)
        return fmt::format("pid {}, which stays in its place, is gone or unreadable", **lost);
    const auto now = policy::judge_one(target.handle.pid(), look_.facts, memory_, setup_.settings,
                                       look_.past_ends);
    auto objection = difference(target.step, now ? &*now : nullptr);
    // Only what the plan relies on was read again.
    if (!objection && now->relies_on != target.step.relies_on)
        return "another process stays in its place now";
    return objection;
}

}  // namespace reaper::agent
