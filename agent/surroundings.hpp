// Where a preflight runs, and what can be seen from there: remarks, and whether its word is complete.
#pragma once

#include "agent/options.hpp"
#include "agent/report.hpp"
#include "policy/rules.hpp"
#include "scanner/occupants.hpp"

namespace reaper::agent {

// What a preflight has to go by.
struct Surroundings {
    const Options& options;
    const policy::Rules& rules;
    const scanner::Facts& facts;
    const scanner::Premises& premises;
    const scanner::Occupancy& occupancy;
};

void tell_surroundings(Report& report, const Surroundings& around);

}  // namespace reaper::agent
