// The folders where Hermes is installed and where its data lies. `preflight` looks for processes
// that use them.
#pragma once

#include "agent/pid_files/places.hpp"
#include "policy/rules/rules.hpp"
#include "scanner/model/facts.hpp"
#include "scanner/occupants.hpp"

namespace reaper::agent {

// Returns those that exist of: hermes-agent in every home and in /usr/local/lib, what the command
// `hermes` is part of, and the virtual environments that members run out of. Each as it is named,
// and with links resolved.
[[nodiscard]] scanner::InstallPaths find_install_paths(const PidFilePlaces& places,
                                                       const scanner::Facts& facts,
                                                       const policy::Rules& rules);

}  // namespace reaper::agent
