// Asks a service manager about units.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "scanner/model/identity.hpp"

namespace reaper::scanner {

struct UnitQuestion {
    std::string unit;  // "hermes-gateway.service"
    bool of_user_manager = false;
    std::string cgroup;  // of one of its processes, or of the unit itself

    // 0: the unit has none. Empty: no answer, or the manager itself does not know.
    std::optional<Pid> main_pid = std::nullopt;
    Pid control_pid = 0;  // a process that starts, stops or reloads the unit; 0: none
};

// Asks the system manager, or the one of this user, over D-Bus. What is not answered by the
// deadline stays empty.
void ask_units(std::span<UnitQuestion> questions, std::chrono::steady_clock::time_point deadline);

// Loads what is needed for that. False: it is not there.
[[nodiscard]] bool can_ask_units();

}  // namespace reaper::scanner
