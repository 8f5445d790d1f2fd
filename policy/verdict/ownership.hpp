// Finds the process that started a member according to records: its own argv or environment, or a
// file that names it.
#pragma once

#include <string>
#include <vector>

#include "policy/match/member.hpp"
#include "scanner/model/facts.hpp"

namespace reaper::policy {

enum class OwnerState {
    alive,
    dead,      // proven: no process has its pid, or another one by ticks
    doubtful,  // the record does not say enough: neither a veto nor a proof
    unknown,   // could not be read
};

struct Owner {
    std::string source;  // "--parent-pid", or the path of a file
    scanner::Pid pid = 0;
    OwnerState state = OwnerState::unknown;
};

// Returns the living host: the parent, or the process that `run` acts for if `run` is the parent.
// 0: none is alive or known.
[[nodiscard]] scanner::Pid host_of(const Member& member, const scanner::Facts& facts);

// Returns the owners of all usable records. Records that are absent, corrupt, of another user or
// about another process yield none; nor does a parent that is a living host.
[[nodiscard]] std::vector<Owner> recorded_owners(const Member& member, const scanner::Facts& facts);

// True if there is any such record, including one of a living host.
[[nodiscard]] bool is_recorded(const Member& member, const scanner::Facts& facts);

// Returns the pids in the member's own argv and environment, which the scanner must look up.
[[nodiscard]] std::vector<scanner::Pid> named_owners(const Match& match,
                                                     const scanner::ProcessFacts& process);

}  // namespace reaper::policy
