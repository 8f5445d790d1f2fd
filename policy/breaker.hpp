// What somebody starts again after every end is left alone: to end it once more helps nobody.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

#include "policy/verdict.hpp"
#include "scanner/facts.hpp"

namespace reaper::policy {

// So many ends, after each of which it was started again so soon, are enough.
inline constexpr std::size_t kMostRespawns = 3;
inline constexpr std::chrono::seconds kRespawnTime{60};
// Ends this close to each other count together, even with one between them after which nobody came.
inline constexpr std::chrono::minutes kRespawnSpell{10};

// Of an unknown starter nobody knows whether it lives on: then it is tried once more.
inline constexpr std::chrono::minutes kRetryOfUnknown{10};

inline constexpr std::string_view kRespawnVeto = "veto.respawns";
inline constexpr std::string_view kRespawnNote = "host.respawns";  // the same, when it may be tried once more

// It is leaked, and could be started again: its host lives, or it is one that outlives its hosts. Nobody who is gone starts
// anything again: what other hosts leave behind are leaks, however many.
[[nodiscard]] bool can_respawn(const Judgement& judgement);

// For what is leaked, to be ended or not: who starts it again after each end, by the keepalives of the facts. That host has to be the
// same process still. A veto, or a note once the time has come to try an unknown one again.
[[nodiscard]] std::optional<Evidence> respawn_evidence(const Judgement& judgement, const scanner::ProcessFacts& process,
                                                       const scanner::Facts& facts);

// That veto; null: the judgement has none.
[[nodiscard]] const Evidence* find_respawn_veto(const Judgement& judgement);

}  // namespace reaper::policy
