// Parses /proc/PID/stat. The command name may hold blanks, parentheses, newlines and made-up
// fields, so everything counts from the last ')'.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "scanner/model/identity.hpp"
#include "scanner/model/result.hpp"

namespace reaper::scanner {

struct ProcStat {
    Pid pid = 0;
    std::string comm;
    char state = '?';
    Pid ppid = 0;
    Pid pgrp = 0;
    Pid session = 0;
    std::int32_t tty = 0;
    std::uint32_t flags = 0;
    std::uint64_t user_ticks = 0;
    std::uint64_t system_ticks = 0;
    std::int64_t threads = 0;
    std::uint64_t start_ticks = 0;

    [[nodiscard]] bool kernel_thread() const { return (flags & 0x00200000U) != 0; }  // PF_KTHREAD
    // It was forked and started no program since: PF_FORKNOEXEC, in the kernel from 2.4 on.
    [[nodiscard]] bool forked() const { return (flags & 0x00000040U) != 0; }
};

// Parses one line. invalid_argument: a field is missing, out of range, or no number.
[[nodiscard]] Result<ProcStat> parse_stat(std::string_view text);

}  // namespace reaper::scanner
