// /proc/PID/status: the fields that stat does not have.
#pragma once

#include <string_view>
#include <vector>

#include "scanner/process.hpp"
#include "scanner/result.hpp"

namespace reaper::scanner {

struct ProcStatus {
    Pid tgid = 0;  // unlike its pid: it is a thread, which /proc shows by name though not in its listing
    Uids uids;
    Pid tracer = 0;
    std::vector<Pid> namespace_pids;  // outermost first
};

// invalid_argument: Tgid, Uid, TracerPid or NSpid is missing, stands there twice, or is malformed, or the text is cut
// off.
[[nodiscard]] Result<ProcStatus> parse_status(std::string_view text);

}  // namespace reaper::scanner
