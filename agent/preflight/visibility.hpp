// Adds remarks on what a preflight could not see from where it runs.
#pragma once

#include "agent/cli/options.hpp"
#include "agent/report/report.hpp"
#include "policy/rules/rules.hpp"
#include "scanner/occupants.hpp"

namespace reaper::agent {

// What the remarks depend on.
struct VisibilityInput {
    const ScopeOptions& options;
    const policy::Rules& rules;
    const scanner::Facts& facts;
    const scanner::InstallPaths& install_paths;
    const scanner::Occupancy& occupancy;
};

// Adds one for each thing that was out of sight. The report becomes incomplete where no install was
// found, or where processes are hidden.
void add_visibility_remarks(Report& report, const VisibilityInput& around);

}  // namespace reaper::agent
