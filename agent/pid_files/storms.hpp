// Remarks on gateways that start again and again.
#pragma once

#include <string>
#include <vector>

#include "agent/pid_files/places.hpp"
#include "scanner/model/facts.hpp"

namespace reaper::agent {

// Reads gateway-starts.log of each home, where it can be read, and returns a remark for each storm.
// Called in the copy of this program that reads what users control.
[[nodiscard]] std::vector<std::string> storm_remarks(const PidFilePlaces& places,
                                                     const scanner::Machine& machine);

}  // namespace reaper::agent
