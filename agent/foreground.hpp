// Another program in place of this one, as far as its user can see.
#pragma once

#include <csignal>
#include <string>
#include <vector>

#include "scanner/result.hpp"

namespace reaper::agent {

// Starts it with those signals blocked, and gives back its exit status as a shell tells it. What is sent to this program meanwhile (INT, TERM,
// HUP) that one gets: it may mind none of them, as an update does that outlives its terminal. Keys of the terminal it sees by itself. Fails
// when it could not even be started.
[[nodiscard]] Result<int> run_in_foreground(std::vector<std::string> argv, const sigset_t& mask);

}  // namespace reaper::agent
