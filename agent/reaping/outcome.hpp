// What happened to one planned step.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/reaping/process_control.hpp"

namespace reaper::agent {

enum class OutcomeResult {
    ended_on_term,
    ended_on_kill,
    already_gone,  // exited before it was signalled
    changed,       // the second look no longer says "reap": nothing was sent (or nothing more)
    denied,        // the kernel did not let us
    survived,      // KILL was sent and it still runs
    unkillable,    // KILL was sent and it sleeps uninterruptibly in the kernel
    would_reap,    // dry run
    refused,       // a limit, or the decision could not be written down, or an interrupt came first
};

[[nodiscard]] std::string_view to_string(OutcomeResult result);
[[nodiscard]] std::optional<OutcomeResult> outcome_result_from(std::string_view word);
[[nodiscard]] std::string_view to_string(Signal signal);  // "TERM"

struct Outcome {
    scanner::Pid pid = 0;
    OutcomeResult result = OutcomeResult::refused;
    std::vector<Signal> signals;  // those that were sent, in order
    std::chrono::microseconds took{};
    std::optional<int> wait_status;  // how it died, where the kernel tells
    std::optional<scanner::Pid>
        respawned_as;    // a new member of the same family, home and argv that came after it
    std::string detail;  // for people

    bool operator==(const Outcome&) const = default;
};

// Says what happened, for people: "ended on TERM after 1.2 s". Printable ASCII.
[[nodiscard]] std::string describe(const Outcome& outcome);

}  // namespace reaper::agent
