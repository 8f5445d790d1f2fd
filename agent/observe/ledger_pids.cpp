#include "agent/observe/ledger_pids.hpp"

#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "agent/rules/sources.hpp"
#include "policy/verdict/claim_vetoes.hpp"
#include "scanner/claims.hpp"

namespace reaper::agent {

namespace {

using scanner::Claim;
using scanner::Pid;
using scanner::Uid;

bool was_read(const std::string& home, const scanner::Facts& facts) {
    return std::ranges::any_of(facts.claim_marks,
                               [&](const auto& mark) { return mark.path.starts_with(home + "/"); });
}

std::vector<Claim> claims_of_home(Uid user, const scanner::ProcessTable& table,
                                  const scanner::Facts& facts) {
    const std::string top = user == ::geteuid() ? own_home() : recorded_home(user).value_or("");
    const std::string home = top + "/.hermes";
    if (!top.starts_with('/') || was_read(home, facts)) return {};
    return scanner::read_claims(table, {user, {}, {home}}).claims;
}

// A user's ledger counts only for that user's processes.
bool is_own(const Claim& claim) {
    return claim.named.ok() && claim.named.value.uid == claim.scope;
}

void add(const std::vector<Claim>& claims, Recorded& recorded) {
    for (const Claim& claim : claims) {
        if (claim.kind != scanner::ClaimKind::ledger) continue;
        if (is_own(claim)) recorded.pids.push_back(claim.pid);
        if (policy::is_unclear(claim)) recorded.unclear.push_back(claim);
    }
}

}  // namespace

Recorded find_recorded(const scanner::ProcessTable& table, const scanner::Facts& facts,
                       std::optional<Uid> scope) {
    Recorded recorded;
    add(facts.claims, recorded);
    add(claims_of_home(scope.value_or(::geteuid()), table, facts), recorded);
    return recorded;
}

}  // namespace reaper::agent
