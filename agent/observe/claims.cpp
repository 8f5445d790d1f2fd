#include "agent/observe/claims.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace reaper::agent {

namespace {

using scanner::Claim;
using scanner::ClaimKind;
using scanner::Facts;
using scanner::Pid;

bool names_many(ClaimKind kind) {
    return kind == ClaimKind::ledger || kind == ClaimKind::headless_registry ||
           kind == ClaimKind::process_registry;
}

bool contains(const std::vector<scanner::ProcessFacts>& by_pid, Pid pid) {
    return std::ranges::binary_search(by_pid, pid, {}, [](const auto& one) { return one.row.pid; });
}

}  // namespace

void read_claims(Facts& facts, const scanner::ProcessTable& table,
                 const std::vector<scanner::ClaimPlaces>& places, const std::set<Pid>& about) {
    const scanner::ClaimsRead before{std::exchange(facts.claims, {}),
                                     std::exchange(facts.claim_marks, {})};
    for (const scanner::ClaimPlaces& of_user : places) {
        auto read = scanner::read_claims(table, of_user, {&before, about});
        std::ranges::move(read.claims, std::back_inserter(facts.claims));
        std::ranges::move(read.marks, std::back_inserter(facts.claim_marks));
    }
    std::ranges::sort(facts.claims, {},
                      [](const Claim& claim) { return std::tie(claim.path, claim.pid); });
    std::ranges::sort(facts.claim_marks, {}, &scanner::ClaimMark::path);
}

void drop_claims_of_others(Facts& facts) {
    std::erase_if(facts.claims, [&](const Claim& claim) {
        return names_many(claim.kind) && claim.access == scanner::Access::ok &&
               !contains(facts.candidates, claim.pid) && !contains(facts.descendants, claim.pid);
    });
}

void read_claims_anew(Facts& facts, const scanner::ProcessTable& table,
                      const std::vector<scanner::ClaimPlaces>& places) {
    facts.claim_marks.clear();
    read_claims(facts, table, places);
}

}  // namespace reaper::agent
