// Facts without secrets, which can be passed on and judged again elsewhere.
#pragma once

#include "policy/rules/rules.hpp"
#include "scanner/model/facts.hpp"

namespace reaper::agent {

// In every argv, of candidates, parents and whomever files name, only what `rules` can ask for is
// kept: scripts, modules, commands, names of options, and the values of the options that rules
// name. Of a word that fits a pattern and could still be a secret, that is the pattern. Everything
// else reads "[redacted]", in its place. The same goes for variables that only mark a program. So
// the same rules judge the result as they judge `facts`.
[[nodiscard]] scanner::Facts redact(scanner::Facts facts, const policy::Rules& rules);

// The variables alone: they can be anything, and a rule may ask for any of them.
void redact_marks(scanner::ProcessFacts& process, const policy::Rules& rules);

}  // namespace reaper::agent
