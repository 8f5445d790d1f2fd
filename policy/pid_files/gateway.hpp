// Judges gateway.pid and the records of host-wide gateways and servers. Their lock, before any pid,
// tells whether one runs.
#pragma once

#include "policy/pid_files/judge_files.hpp"

namespace reaper::policy {

[[nodiscard]] FileJudgement judge_gateway_pid(const scanner::ClaimFile& file,
                                              const scanner::Machine& machine, const Rules& rules);

// Judges gateway.lock and host-ROLE.lock. That file stays when its process ends, and the next one
// reuses it. In a container a lock that no visible process holds is foreign, as a process outside
// may hold it.
[[nodiscard]] FileJudgement judge_gateway_lock(const scanner::ClaimFile& file,
                                               const scanner::Machine& machine);

// Judges host-ROLE.json. It is stale only if no process holds its lock and its pid is gone or
// re-used: with another start than the one that it records, it is re-used, whatever runs there.
// Unlike gateway.pid it is never half written, so a malformed one stays.
[[nodiscard]] FileJudgement judge_host_record(const scanner::ClaimFile& file,
                                              const scanner::Machine& machine, const Rules& rules);

}  // namespace reaper::policy
