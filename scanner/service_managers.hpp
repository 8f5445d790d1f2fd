// Asks service managers about the processes of their services.
#pragma once

#include <span>

#include "scanner/process_table.hpp"

namespace reaper::scanner {

// True if its service manager could tell more about the process, and was not asked yet.
[[nodiscard]] bool needs_manager_answer(const ProcessFacts& process);

// Asks about each *.service of these processes once, within about one second in all, and notes the
// answers in their `unit`. Skips processes outside of any service. Asks the system manager and the
// one of this user; where neither runs, as in a container, no process is the main one of a service,
// which is an answer. False: it took so long that a manager must hang.
bool ask_service_managers(const ProcessTable& table, std::span<ProcessFacts* const> processes);

// True if this program has what it takes to ask: it was built with libsystemd, and that can be
// loaded, which this does.
[[nodiscard]] bool can_ask_service_managers();

}  // namespace reaper::scanner
