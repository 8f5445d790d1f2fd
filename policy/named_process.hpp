// Is the process that has a pid now the one that wrote it into a file?
#pragma once

#include <string>

#include "policy/rules.hpp"
#include "scanner/claim_files.hpp"
#include "scanner/facts.hpp"

namespace reaper::policy {

enum class Fate {
    lives,        // it may well be: nothing speaks against it
    gone,         // nobody has the pid
    reused,       // another program has it, which started at another moment, or after the file was written
    other,        // it was there in time, but runs a program that does not write such files
    somebodys,    // it runs another bridge, which has pid files of its own
    contradicts,  // it runs the right program, but the file records another start, or is older
    elsewhere,    // gone, reused or other, but one that runs the right program has that pid in a container
    unknown,      // it could not be looked at
};

struct NamedProcess {
    Fate fate = Fate::unknown;
    std::string detail;  // for people
};

// Does its program write files of that kind, by the rules, switched on or not? Of some kinds any program may.
[[nodiscard]] bool may_write(scanner::ClaimKind kind, const scanner::ProcessRow& row, const Rules& rules);

[[nodiscard]] NamedProcess find_named(const scanner::ClaimFile& file, const scanner::Claim& claim,
                                      const scanner::Machine& machine, const Rules& rules);

}  // namespace reaper::policy
