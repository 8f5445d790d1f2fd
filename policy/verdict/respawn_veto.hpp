// Leaves alone what is started again after every end: to end it once more helps no user.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

#include "policy/rules/verdict.hpp"
#include "scanner/model/record.hpp"

namespace reaper::policy {

// Stop after this many own kills in a family and home that one host followed with a new start
// within kRespawnTime. (Hosts restart a helper 42 to 83 s after its end.)
inline constexpr std::size_t kMostRespawns = 3;
inline constexpr std::chrono::seconds kRespawnTime{120};

// Whether an unknown starter lives on cannot be known: after this time one more end is tried.
inline constexpr std::chrono::minutes kRetryOfUnknown{10};

inline constexpr std::string_view kRespawnVeto = "veto.respawns";
inline constexpr std::string_view kRespawnNote =
    "host.respawns";  // the same, when it may be tried once more

// What the history says of earlier ends.
using PastEnds = std::vector<scanner::Keepalive>;

// It is leaked, and could be started again: its host lives, or it is one that outlives its hosts.
// A host that is gone starts nothing again: what such hosts leave behind are leaks, however many.
[[nodiscard]] bool can_respawn(const Judgement& judgement);

// Tells, for what is leaked, to be ended or not, which host starts it again after each end, by the
// earlier ends. That host has to be the same process still. A veto, or a note once the
// time has come to try an unknown one again.
[[nodiscard]] std::optional<Evidence> respawn_evidence(const Judgement& judgement,
                                                       const scanner::ProcessFacts& process,
                                                       const scanner::Facts& facts,
                                                       const PastEnds& past_ends);

// That veto; null: the judgement has none.
[[nodiscard]] const Evidence* find_respawn_veto(const Judgement& judgement);

}  // namespace reaper::policy
