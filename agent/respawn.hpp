// Did something bring an ended helper back?
#pragma once

#include <map>

#include "agent/commands.hpp"
#include "agent/outcome.hpp"

namespace reaper::agent {

// Notes, for everything that was ended, the new member of the same family, home and argv that a later look found.
void find_respawns(const Judged& before, const Judged& after, std::map<scanner::Pid, Outcome>& outcomes);

}  // namespace reaper::agent
