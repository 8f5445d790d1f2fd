// Reads single facts from an open /proc/PID, each with its own access.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "scanner/linux/descriptors.hpp"
#include "scanner/model/process.hpp"
#include "scanner/model/result.hpp"
#include "scanner/parse/proc_status.hpp"

namespace reaper::scanner {

// Translates the error of a read: malformed, gone, or (everything else) denied.
[[nodiscard]] Access access_of_failure(const Error& error);

[[nodiscard]] Result<ProcStatus> read_status(int process);
[[nodiscard]] Reading<std::string> read_cwd(int process, Uid user);
// True if its working folder has no name any more. False: it has one, or that cannot be told.
[[nodiscard]] bool has_deleted_cwd(int process, Uid user);

// Returns its memory in RAM; 0: not known. Reported only, decides nothing.
[[nodiscard]] std::uint64_t read_resident_bytes(int process);

// True if the executable has no name any more. False also if that could not be found out.
[[nodiscard]] bool has_deleted_exe(int process);

// Reads only these keys. malformed: larger than 1 MiB, or empty although `row` shows a program that
// may just be starting.
[[nodiscard]] Reading<std::map<std::string, std::string>> read_environment(
    int process, const ProcessRow& row, std::span<const std::string> keys);

[[nodiscard]] Reading<std::string> locate_script(const std::string& script,
                                                 const Reading<std::string>& cwd);

// Returns the paths on which the process holds a flock(2).
[[nodiscard]] Reading<std::vector<std::string>> read_held_locks(
    int process, const DescriptorAccount& account = {});

}  // namespace reaper::scanner
