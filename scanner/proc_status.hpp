// /proc/PID/status: the fields that stat does not have.
#pragma once

#include <string_view>
#include <vector>

#include "scanner/process.hpp"
#include "scanner/result.hpp"

namespace reaper::scanner {

struct ProcStatus {
    Uids uids;
    Pid tracer = 0;
    std::vector<Pid> namespace_pids;  // outermost first
};

// invalid_argument: Uid, TracerPid or NSpid is missing, stands there twice, or is malformed.
[[nodiscard]] Result<ProcStatus> parse_status(std::string_view text);

}  // namespace reaper::scanner
