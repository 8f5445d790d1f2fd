#include "policy/match/clock.hpp"

#include <cmath>

namespace reaper::policy {

namespace {

constexpr double kSlack = 2.0;

}  // namespace

double start_epoch(std::uint64_t start_ticks, const scanner::Machine& machine) {
    const double age = (static_cast<double>(machine.now_ticks) - static_cast<double>(start_ticks)) /
                       static_cast<double>(machine.ticks_per_second);
    return machine.now_epoch - age;
}

bool started_by(std::uint64_t start_ticks, double moment, const scanner::Machine& machine) {
    return start_epoch(start_ticks, machine) <= moment + kSlack;
}

bool started_at(std::uint64_t start_ticks, double moment, const scanner::Machine& machine) {
    return std::abs(start_epoch(start_ticks, machine) - moment) <= kSlack;
}

}  // namespace reaper::policy
