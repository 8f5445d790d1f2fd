// Compares the start of a process with times that files record.
#pragma once

#include <cstdint>

#include "scanner/model/facts.hpp"

namespace reaper::policy {

// Returns the start in wall clock seconds. That clock is stepped and rounded, so the comparisons
// below allow two seconds.
[[nodiscard]] double start_epoch(std::uint64_t start_ticks, const scanner::Machine& machine);

// True if it ran already at that moment.
[[nodiscard]] bool started_by(std::uint64_t start_ticks, double moment,
                              const scanner::Machine& machine);

// True if it started at that moment.
[[nodiscard]] bool started_at(std::uint64_t start_ticks, double moment,
                              const scanner::Machine& machine);

}  // namespace reaper::policy
