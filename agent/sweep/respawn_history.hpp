// Finds helpers that are started again after each end, across runs: what the history says of those
// that are there now.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/history/history.hpp"
#include "agent/observe/judged.hpp"

namespace reaper::agent {

struct RespawnHistory {
    policy::PastEnds past_ends;
    std::vector<Respawn> unnoted;  // that no program has written down yet
};

// Counts own kills in a row, by host, family and home, that the same host followed with a new
// start: between the first signal and policy::kRespawnTime after the end. Kills before that start
// count once.
[[nodiscard]] RespawnHistory find_respawning_helpers(const std::vector<ActionRecord>& records,
                                                     const std::vector<Event>& sightings,
                                                     std::uint32_t ticks_per_second);

// Judges once more by what the history says, which is read only where something that is leaked can
// be started again. Returns the respawns that the history does not have yet. A history that cannot
// be read becomes a remark.
std::vector<Respawn> apply_respawn_history(Judged& judged, const Setup& setup, CachedHistory& past);

// look_and_judge(), with the history of this user applied, for a command that writes none.
[[nodiscard]] Result<Judged> look_and_judge_with_past(const Observer& observer, const Setup& setup,
                                                      CachedHistory& past, const KeepHandles& held);

}  // namespace reaper::agent
