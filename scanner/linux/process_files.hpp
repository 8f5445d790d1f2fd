// Single facts out of one open /proc/PID, each with its own access.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "scanner/proc_status.hpp"
#include "scanner/process.hpp"
#include "scanner/result.hpp"

namespace reaper::scanner {

// Why a fact could not be had: not in its form, gone, or (everything else) not to be looked at.
[[nodiscard]] Access access_of_failure(const Error& error);

[[nodiscard]] Result<ProcStatus> read_status(int process);
[[nodiscard]] Reading<std::string> read_cwd(int process);

// Memory that it has in RAM; 0: not known. Told, never decided by.
[[nodiscard]] std::uint64_t read_resident_bytes(int process);

// The executable has no name any more. False also when that could not be found out.
[[nodiscard]] bool has_deleted_exe(int process);

struct Environment {
    Reading<std::map<std::string, std::string>> kept;  // only the keys that were asked for
    bool names_exec_pid = false;                       // SYSTEMD_EXEC_PID is there, asked for or not
};

// malformed: more than 1 MiB, or nothing at all although `row` shows a program that may just be starting.
[[nodiscard]] Environment read_environment(int process, const ProcessRow& row, std::span<const std::string> keys);

[[nodiscard]] Reading<std::string> locate_script(const std::string& script, const Reading<std::string>& cwd);

// Paths on which the process holds a flock(2).
[[nodiscard]] Reading<std::vector<std::string>> read_held_locks(int process);

}  // namespace reaper::scanner
