// Who does a record say started a member: its own argv or environment, or a file that names it?
#pragma once

#include <string>
#include <vector>

#include "policy/member.hpp"
#include "scanner/facts.hpp"

namespace reaper::policy {

enum class OwnerState {
    alive,
    dead,      // provably: nobody has its pid, or somebody else, by ticks
    doubtful,  // the record does not say enough: neither a veto nor a proof
    unknown,   // could not be looked at
};

struct Owner {
    std::string source;  // "--parent-pid", or the path of a file
    scanner::Pid pid = 0;
    OwnerState state = OwnerState::unknown;
};

// The host that lives: the parent, or whoever a `run` acts for that stands between the two. 0: none does, or none is known.
[[nodiscard]] scanner::Pid host_of(const Member& member, const scanner::Facts& facts);

// Records that are absent, corrupt, of another user or about another process yield nothing; nor does a parent that is a
// living host.
[[nodiscard]] std::vector<Owner> recorded_owners(const Member& member, const scanner::Facts& facts);

// Is there any such record, also one of a living host?
[[nodiscard]] bool is_recorded(const Member& member, const scanner::Facts& facts);

// Whom a member's own argv and environment name: the scanner has to look those up.
[[nodiscard]] std::vector<scanner::Pid> named_owners(const Match& match, const scanner::ProcessFacts& process);

}  // namespace reaper::policy
