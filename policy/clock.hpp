// When did a process start, in the clock that files write down?
#pragma once

#include <cstdint>

#include "scanner/facts.hpp"

namespace reaper::policy {

// Wall clock seconds. Files record this clock, which is stepped and rounded: the comparisons below allow two seconds.
[[nodiscard]] double start_epoch(std::uint64_t start_ticks, const scanner::Machine& machine);

// It ran already at that moment.
[[nodiscard]] bool started_by(std::uint64_t start_ticks, double moment, const scanner::Machine& machine);

// It started at that moment.
[[nodiscard]] bool started_at(std::uint64_t start_ticks, double moment, const scanner::Machine& machine);

}  // namespace reaper::policy
