// Where Hermes is installed, and where its data lies: what `preflight` looks for occupants of.
#pragma once

#include "agent/pid_file_places.hpp"
#include "policy/rules.hpp"
#include "scanner/facts.hpp"
#include "scanner/occupants.hpp"

namespace reaper::agent {

// hermes-agent in every home and in /usr/local/lib, what the command `hermes` is part of, and the virtual environments that members run
// out of; as far as they are there, each as it is named and as it really is.
[[nodiscard]] scanner::Premises find_premises(const PidFilePlaces& places, const scanner::Facts& facts,
                                              const policy::Rules& rules);

}  // namespace reaper::agent
