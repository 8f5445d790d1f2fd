#include "agent/recorded.hpp"

#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "agent/rule_sources.hpp"
#include "scanner/claims.hpp"

namespace reaper::agent {

namespace {

using scanner::Claim;
using scanner::Pid;
using scanner::Uid;

void add_home_of(Uid user, const scanner::Procfs& procfs, std::vector<Claim>& claims) {
    const std::string top = user == ::geteuid() ? own_home() : recorded_home(user).value_or("");
    const std::string home = top + "/.hermes";
    if (!top.starts_with('/') || std::ranges::find(claims, home, &Claim::home) != claims.end()) return;
    std::ranges::move(scanner::read_claims(procfs, {user, {}, {home}}), std::back_inserter(claims));
}

// What somebody wrote down can only ever speak of that user's processes.
bool is_own(const Claim& claim) {
    return claim.named.ok() && claim.named.value.uid == claim.scope;
}

}  // namespace

std::vector<Pid> recorded_pids(const scanner::Procfs& procfs, std::vector<Claim> claims, std::optional<Uid> scope) {
    add_home_of(scope.value_or(::geteuid()), procfs, claims);
    std::vector<Pid> pids;
    for (const Claim& claim : claims) {
        if (claim.kind == scanner::ClaimKind::ledger && is_own(claim)) pids.push_back(claim.pid);
    }
    return pids;
}

}  // namespace reaper::agent
