// What a service manager says of a unit.
#pragma once

#include <optional>

#include "scanner/process.hpp"

namespace reaper::scanner {

// The main process of a *.service, asked over D-Bus within about one second: of the system's manager, or of this user's own when the
// unit is below it. None: there is no such manager, it does not answer, or the unit has no main process now.
[[nodiscard]] std::optional<Pid> ask_main_pid(const ServiceUnit& unit);

}  // namespace reaper::scanner
