// Another program in place of this one, as far as its user can see.
#pragma once

#include <csignal>
#include <string>
#include <vector>

#include "scanner/result.hpp"

namespace reaper::agent {

// Starts it with those signals blocked, and gives back its exit status as a shell tells it. Whoever asks this program to end meanwhile (INT,
// TERM, HUP) asks that one: it is sent TERM. Keys of the terminal it sees by itself. Fails when it could not even be started.
[[nodiscard]] Result<int> run_in_foreground(std::vector<std::string> argv, const sigset_t& mask);

}  // namespace reaper::agent
