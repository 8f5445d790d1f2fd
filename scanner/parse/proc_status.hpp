// Parses /proc/PID/status: the fields that stat does not have.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "scanner/model/diagnosis.hpp"
#include "scanner/model/process.hpp"
#include "scanner/model/result.hpp"

namespace reaper::scanner {

struct ProcStatus {
    // If it differs from the pid, this is a thread: /proc opens it by number but does not list it.
    Pid tgid = 0;
    Uids uids;
    Pid tracer = 0;
    std::vector<Pid> namespace_pids;  // outermost first
    // 0 also where it has no memory (a zombie, a kernel thread), or that is not known.
    std::uint64_t swap_bytes = 0;
};

// Parses the whole text. invalid_argument: Tgid, Uid, TracerPid or NSpid is missing, occurs twice
// or is malformed, or the text is cut off.
[[nodiscard]] Result<ProcStatus> parse_status(std::string_view text);

// Returns what the process does about SIGCHLD, by the whole text. None: a field is missing.
[[nodiscard]] std::optional<ChildSignal> parse_child_signal(std::string_view text);

// True if the process was sent KILL and has not ended yet, by the whole text.
[[nodiscard]] bool is_kill_pending(std::string_view text);

}  // namespace reaper::scanner
