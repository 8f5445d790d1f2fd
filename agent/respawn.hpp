// Did something bring an ended helper back?
#pragma once

#include <map>

#include "agent/commands.hpp"
#include "agent/outcome.hpp"

namespace reaper::agent {

// Looks once more and notes, for everything that was ended, the new member of the same family, home and argv that came after it.
void find_respawns(const Lookout& lookout, const Setup& setup, const Judged& before,
                   std::map<scanner::Pid, Outcome>& outcomes);

}  // namespace reaper::agent
