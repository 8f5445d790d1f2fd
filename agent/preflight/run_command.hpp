// Runs another program in place of this one, as far as its user can see.
#pragma once

#include <csignal>
#include <string>
#include <vector>

#include "scanner/model/result.hpp"

namespace reaper::agent {

// Starts a program with those signals blocked, and returns its exit status as a shell tells it.
// Forwards INT, TERM and HUP that this process gets: the program may ignore them, as an update does
// that outlives its terminal. Keys of the terminal reach it by themselves. Fails when it could not
// be started.
[[nodiscard]] Result<int> run_in_foreground(std::vector<std::string> argv, const sigset_t& mask);

}  // namespace reaper::agent
