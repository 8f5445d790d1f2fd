#include "agent/reaping/outcome.hpp"

#include <fmt/format.h>

#include "agent/system/format.hpp"
#include "policy/text/escape.hpp"

namespace reaper::agent {

namespace {

std::string how_it_ended(const Outcome& outcome) {
    const std::string took = took_text(outcome.took);
    switch (outcome.result) {
        case OutcomeResult::ended_on_term: return fmt::format("ended on TERM after {}", took);
        case OutcomeResult::ended_on_kill: return fmt::format("ended on KILL after {}", took);
        case OutcomeResult::already_gone: return "had already exited by itself";
        case OutcomeResult::changed: return "left alone: it changed between two looks";
        case OutcomeResult::denied: return "NOT ended: not permitted";
        case OutcomeResult::survived:
            return fmt::format("NOT ended: still running after KILL ({})", took);
        case OutcomeResult::unkillable:
            return "NOT ended: stuck inside the kernel; KILL is pending";
        case OutcomeResult::would_reap: return "would be ended";
        case OutcomeResult::refused:
            return outcome.signals.empty()
                       ? "NOT ended: refused, nothing was sent"
                       : fmt::format("NOT ended: still ending after {}, KILL was not sent", took);
    }
    return "NOT ended";
}

}  // namespace

std::string_view to_string(OutcomeResult result) {
    switch (result) {
        case OutcomeResult::ended_on_term: return "ended_on_term";
        case OutcomeResult::ended_on_kill: return "ended_on_kill";
        case OutcomeResult::already_gone: return "already_gone";
        case OutcomeResult::changed: return "changed";
        case OutcomeResult::denied: return "denied";
        case OutcomeResult::survived: return "survived";
        case OutcomeResult::unkillable: return "unkillable";
        case OutcomeResult::would_reap: return "would_reap";
        case OutcomeResult::refused: return "refused";
    }
    return "refused";
}

std::optional<OutcomeResult> outcome_result_from(std::string_view word) {
    using enum OutcomeResult;
    for (const OutcomeResult result : {ended_on_term, ended_on_kill, already_gone, changed, denied,
                                       survived, unkillable, would_reap, refused}) {
        if (word == to_string(result)) return result;
    }
    return std::nullopt;
}

std::string_view to_string(Signal signal) {
    switch (signal) {
        case Signal::terminate: return "TERM";
        case Signal::resume: return "CONT";
        case Signal::kill: return "KILL";
    }
    return "?";
}

std::string describe(const Outcome& outcome) {
    std::string text = how_it_ended(outcome);
    if (!outcome.detail.empty()) text += fmt::format(" ({})", policy::escape(outcome.detail, 200));
    if (outcome.respawned_as) text += fmt::format("; CAME BACK as pid {}", *outcome.respawned_as);
    return text;
}

}  // namespace reaper::agent
