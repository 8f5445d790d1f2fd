// Adds the vetoes of pid, lock and ledger files to a member.
#pragma once

#include <string>

#include "policy/verdict/veto_list.hpp"
#include "policy/verdict/vetoes.hpp"

namespace reaper::policy {

void check_claims(const Member& member, const VetoInput& input, VetoList& vetoes);

// True in a container, where only some of the processes of the machine are visible, and only their
// locks.
[[nodiscard]] bool is_nested(const scanner::Machine& machine);

// True if the file was found in the folders of the process's user, and that user or root wrote it.
// Files of other users say nothing about the process.
[[nodiscard]] bool applies_to(const scanner::Claim& claim, const scanner::ProcessFacts& process);

// True if the file is about one family only (compute hosts, meet bots, proxies), and this is no
// member of that.
[[nodiscard]] bool is_of_other_family(const scanner::Claim& claim, const Member& member);

// True if its file could not be read, or is malformed (empty, cut off, damaged). Then it is not
// known what it says, which is not the same as saying nothing.
[[nodiscard]] bool is_unclear(const scanner::Claim& claim);
[[nodiscard]] std::string describe_unclear(const scanner::Claim& claim);

// True for an unclear claim that could have protected the member. Ledgers, registries, desktop
// locks and update markers concern all processes of their user, other files those of their home and
// of the homes below it. False for bridge.pid, which designate() weighs, and bridge-stdio*.pid,
// which protects nothing.
[[nodiscard]] bool might_protect(const scanner::Claim& claim, const Member& member);

// True if the claim can be trusted: readable, written by the process's user or root, with the start
// of the process that it names or, if it records none, not older than that.
[[nodiscard]] bool is_valid_claim(const scanner::Claim& claim, const scanner::ProcessFacts& process,
                                  const scanner::Machine& machine);

// True if a marker was written less than 20 minutes ago, or that much ahead of a clock that was
// stepped back.
[[nodiscard]] bool is_fresh(const scanner::Claim& marker, const scanner::Machine& machine);

// True if a process runs a program that updates Hermes, by rules of any family, enabled or not.
[[nodiscard]] bool runs_updater(const scanner::ProcessRow& row, const Rules& rules);

// True if the updater that a marker names is alive or may be, by the times alone. For 20 minutes
// any process with its pid counts, as the clock may have been stepped since. A marker without
// content is one that is being written. In a container, or if /proc hides processes, an updater
// outside is not visible.
[[nodiscard]] bool is_update_running(const scanner::Claim& marker, const scanner::Machine& machine);

// Also tests what the process runs, so that an updater counts however old its marker seems. A
// malformed marker may belong to an updater at any age.
[[nodiscard]] bool is_update_running(const scanner::Claim& marker, const scanner::Machine& machine,
                                     const Rules& rules);

}  // namespace reaper::policy
