// Reports to render: one machine, whose helpers are made up.
#pragma once

#include <string>
#include <vector>

#include "agent/report/report.hpp"

namespace reaper::agent::test {

// A process of user "u" that is an hour and ten minutes old and takes 91 MB.
[[nodiscard]] ReportedProcess process(scanner::Pid pid, policy::Verdict verdict,
                                      policy::Action action);
[[nodiscard]] ReportedProcess orphan(scanner::Pid pid);
[[nodiscard]] ReportedProcess daemon(scanner::Pid pid);
[[nodiscard]] ReportedProcess with(ReportedProcess process, OutcomeResult result);

// Not concluded yet.
[[nodiscard]] Report report_of(std::string command, std::vector<ReportedProcess> processes);

// Concluded.
[[nodiscard]] Report nothing_leaked();
[[nodiscard]] Report two_leaked();
[[nodiscard]] Report dry_run();
[[nodiscard]] Report swept();
[[nodiscard]] Report swept_partly();
[[nodiscard]] Report incomplete();
[[nodiscard]] Report refused();
[[nodiscard]] Report hundred_leaked();
// With hosts, and all that can be wrong with a machine.
[[nodiscard]] Report sick_machine();
[[nodiscard]] Report hostile();  // every byte there is, in everything that a stranger can fill in

// Asked for by name, for tables of all of them.
struct Sample {
    std::string name;
    Report report;
};
[[nodiscard]] std::vector<Sample> all_samples();

}  // namespace reaper::agent::test
