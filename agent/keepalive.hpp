// Who is started again each time, across runs: what the history says of those who are there now.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/commands.hpp"

namespace reaper::agent {

struct Memory {
    std::vector<scanner::Keepalive> keepalives;
    std::vector<Respawn> unnoted;  // that no program has written down yet
};

// Between the first signal to one that was ended and policy::kRespawnTime after its end, each start of the same helper by the same host
// replaces one; a duplicate only where the host opens no others. Each helper has its own count, which begins anew with an end after
// which nobody came, unless that was within policy::kRespawnSpell of one that counts.
[[nodiscard]] Memory remember(const std::vector<Deed>& deeds, const std::vector<Event>& sightings,
                              std::uint32_t ticks_per_second);

// Judges once more by what the past says. It is asked only where somebody is leaked who can be started again. Where it cannot be
// read, there is a remark.
void heed_history(Judged& judged, const Setup& setup, Past& past);

}  // namespace reaper::agent
