// The findings for people and scripts. Both renderers return printable ASCII (and newlines).
#pragma once

#include <string>

#include "agent/doctor/finding.hpp"
#include "agent/history/totals.hpp"
#include "agent/report/report.hpp"

namespace reaper::agent {

struct DoctorView {
    std::string version;
    std::string user;  // that it is about
    Findings findings;
    ExitStatus exit_status = ExitStatus::clean;
    bool strict = false;
    std::string commit = {};  // of the build; empty: not known
};

// A line for each finding, below it the command that mends it, and at the end how many there are.
// Quiet: the first line that made the exit status, nothing where that is 0. Verbose: the facts.
[[nodiscard]] std::string render_doctor(const DoctorView& view, const RenderOptions& options);
// "orphan-reaper/doctor/1", see packaging/schema.
[[nodiscard]] std::string render_doctor_json(const DoctorView& view);
// For node_exporter's textfile collector; `run` is this one.
[[nodiscard]] std::string render_doctor_prometheus(const DoctorView& view, const Run& run);

}  // namespace reaper::agent
