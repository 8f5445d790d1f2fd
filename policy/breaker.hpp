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
inline constexpr std::chrono::minutes kRespawnTime{10};

inline constexpr std::string_view kRespawnVeto = "veto.respawns";

// It will be ended, and could be started again: its host lives, or it is one that outlives its hosts. Nobody who is gone starts
// anything again: what other hosts leave behind are leaks, however many.
[[nodiscard]] bool can_respawn(const Judgement& judgement);

// For what will be ended: why it is left alone instead, by the keepalives of the facts. Its host has to be the same process still;
// where nobody knows who starts it, one more try is made when kRespawnTime has passed since the last end.
[[nodiscard]] std::optional<Evidence> respawn_veto(const Judgement& judgement, const scanner::ProcessFacts& process,
                                                   const scanner::Facts& facts);

// That veto; null: the judgement has none.
[[nodiscard]] const Evidence* find_respawn_veto(const Judgement& judgement);

}  // namespace reaper::policy
