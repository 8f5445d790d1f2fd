// Facts that were written to a file: kept for a bug report, or judged again, on any machine.
#pragma once

#include <string>

#include "policy/rules/rules.hpp"
#include "scanner/model/facts.hpp"
#include "scanner/model/result.hpp"

namespace reaper::agent {

// A new file, or one in place of a regular one, that only its owner can read. Without what could be
// a secret, and with what other users protect; it judges all the same. `rules`: the ones by which
// the facts were judged. A device that is there is written to; operation_not_supported: a link, a
// pipe or the like is there.
[[nodiscard]] Result<void> write_facts(const std::string& path, const scanner::Facts& facts,
                                       const policy::Rules& rules);

// invalid_argument: not what write_facts() wrote, or it contradicts itself, in words; or the file
// cannot be read.
[[nodiscard]] Result<scanner::Facts> read_facts(const std::string& path);

}  // namespace reaper::agent
