// Facts that were written to a file: kept for a bug report, or judged again, on any machine.
#pragma once

#include <string>

#include "policy/rules.hpp"
#include "scanner/facts.hpp"
#include "scanner/result.hpp"

namespace reaper::agent {

// A new file, or one in place of a regular one, that only its owner can read. Without what could be a secret, and with what other
// users protect; it judges all the same. `rules`: the ones by which the facts were judged. file_exists: a link, device or the like
// is there.
[[nodiscard]] Result<void> write_facts(const std::string& path, const scanner::Facts& facts,
                                       const policy::Rules& rules);

// invalid_argument: not what write_facts() wrote, in words; or the file cannot be read.
[[nodiscard]] Result<scanner::Facts> read_facts(const std::string& path);

}  // namespace reaper::agent
