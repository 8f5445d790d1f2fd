// The processes that a candidate refers to: its parent, what wraps it, and its recorded owners.
#pragma once

#include "policy/rules/rules.hpp"
#include "scanner/model/facts.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

// Reads the rows of these processes, also of those that the facts have already. One that has exited
// is left out; one that could not be read goes to `unread`.
void read_relatives(scanner::Facts& facts, const scanner::ProcessTable& table,
                    const policy::Rules& rules, const scanner::ProcessFacts& candidate);

}  // namespace reaper::agent
