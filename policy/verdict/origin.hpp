// Tells which host a process comes from, as far as its environment says so.
#pragma once

#include "policy/match/member.hpp"

namespace reaper::policy {

// Adds a note for each host whose marks (origin_marks.hpp) it has, with the session where a mark
// tells it. Decides nothing.
void note_origins(Member& member);

}  // namespace reaper::policy
