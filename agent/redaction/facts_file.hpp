// Facts that were written to a file: kept for a bug report, or judged again, on any machine.
#pragma once

#include <string>

#include "policy/rules/rules.hpp"
#include "policy/verdict/respawn_veto.hpp"
#include "scanner/model/record.hpp"
#include "scanner/model/result.hpp"

namespace reaper::agent {

// A new file, or one in place of a regular one, that only its owner can read. Without what could be
// a secret, and with what other users protect; it judges all the same. `rules` and
// `past_ends`: by which the facts were judged. A device that is there is written to;
// operation_not_supported: a link, a pipe or the like is there.
[[nodiscard]] Result<void> write_facts(const std::string& path, const scanner::Facts& facts,
                                       const policy::Rules& rules,
                                       const policy::PastEnds& past_ends);

// invalid_argument: not what write_facts() wrote, or it contradicts itself, in words; or the file
// cannot be read.
[[nodiscard]] Result<scanner::Record> read_facts(const std::string& path);

}  // namespace reaper::agent
