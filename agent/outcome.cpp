#include "agent/outcome.hpp"

namespace reaper::agent {

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
    for (const OutcomeResult result :
         {ended_on_term, ended_on_kill, already_gone, changed, denied, survived, unkillable, would_reap, refused}) {
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

}  // namespace reaper::agent
