// Finds the processes of a tree that would end what they run when they are told to end. tsx passes
// TERM on, and sends KILL 60 ms later: the grace of what it runs would be over then.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "agent/run/nested_runs.hpp"
#include "policy/rules/rules.hpp"
#include "scanner/model/process.hpp"

namespace reaper::agent {

// Returns the built-in families that have launchers, whether they are on or off. By these,
// launchers are recognised: a rule file may not answer, and TERM is not to wait for it.
[[nodiscard]] policy::Rules launcher_rules();

// Returns the pids of `processes` that have a child among them which is not another `run`.
[[nodiscard]] std::vector<scanner::Pid> find_parents(const ProcessSet& processes);

// Returns the row of a process as it was started, which may be a script of node.
[[nodiscard]] scanner::ProcessRow started_row(scanner::Pid pid,
                                              const std::vector<std::string>& argv,
                                              const policy::Rules& rules);

// Pids, each with those of all processes below it. Another `run`, and what is below that, is left
// out: it ends when its host does.
using Descendants = std::map<scanner::Pid, std::vector<scanner::Pid>>;

// Returns those of `rows` that are to end after all that is below them: a launcher, and a program
// that runs one in its own place (npm, sh, timeout). With nothing below, it is in the result as
// well.
[[nodiscard]] Descendants find_launchers(const ProcessSet& processes,
                                         const std::vector<scanner::ProcessRow>& rows,
                                         const policy::Rules& rules);

}  // namespace reaper::agent
