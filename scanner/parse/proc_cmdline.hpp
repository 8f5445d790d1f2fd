// Splits /proc/PID/cmdline and environ: NUL-separated bytes, kept as bytes.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "scanner/model/process.hpp"

namespace reaper::scanner {

// Splits argv. The last argument may lack its NUL (the process wrote over it, or it was cut off).
[[nodiscard]] CommandLine parse_command_line(std::string_view bytes, bool truncated);

// Returns only `keys`; the first definition of a key wins, as in getenv(3).
[[nodiscard]] std::map<std::string, std::string> parse_environment(
    std::string_view bytes, std::span<const std::string> keys);

}  // namespace reaper::scanner
