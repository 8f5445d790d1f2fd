// Tells whether the process that has a pid now is the one that a file means.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/rules/rules.hpp"
#include "scanner/claim_files.hpp"
#include "scanner/model/facts.hpp"

namespace reaper::policy {

enum class NamedProcessState {
    lives,  // it may be: nothing speaks against it
    gone,   // no process has the pid
    // Another program has the pid, which started at another moment, or after the file was written;
    // or a kernel thread.
    reused,
    // It runs a program that is not known to write such files, but was there in time, so it may be
    // the writer.
    other,
    other_bridge,  // it runs another bridge, which has pid files of its own
    contradicts,   // it runs the right program, but the file records another start, or is older
    // Gone or reused here, but a process with that pid in a container runs the right program.
    other_namespace,
    unknown,  // it could not be read
};

struct NamedProcess {
    NamedProcessState state = NamedProcessState::unknown;
    std::string detail;  // for people
};

// Returns the families whose members write files of this kind; none: any program may.
[[nodiscard]] std::vector<std::string_view> families_named_by(scanner::ClaimKind kind);

// True if its program writes files of that kind, by rules of any family, enabled or not. Some kinds
// may be written by any program.
[[nodiscard]] bool may_write(scanner::ClaimKind kind, const scanner::ProcessRow& row,
                             const Rules& rules);

// Judges the process that `claim`, one of those of `file`, names; for a browser owner that is the
// spawner. `unknown` if it could not be read.
[[nodiscard]] NamedProcess find_named(const scanner::ClaimFile& file, const scanner::Claim& claim,
                                      const scanner::Machine& machine, const Rules& rules);

}  // namespace reaper::policy
