#include "policy/update/lineage.hpp"

#include <algorithm>

namespace reaper::policy {

using scanner::Occupant;
using scanner::Pid;

Lineage::Lineage(const std::vector<Member>& members, const scanner::Occupancy& occupancy,
                 const Rules& rules)
    : occupancy_(occupancy) {
    Rules all = rules;
    for (FamilyRule& rule : all.families) rule.enabled = true;
    for (const Occupant& occupant : occupancy.occupants) {
        if (occupant.through.empty()) continue;
        const auto match = policy::match(all, occupant.row);
        // A process that only a mark in its environment would make a part of Hermes may be
        // anything.
        known_[occupant.row.pid] = match && !match->needs_mark
                                       ? KnownProcess{match->rule->name, match->rule->at_update}
                                       : KnownProcess{};
    }
    for (const Member& member : members)
        known_[member.pid()] = {member.rule().name, member.rule().at_update};
}

std::optional<std::string> Lineage::family_of(Pid pid) const {
    const auto found = known_.find(pid);
    return found == known_.end() ? std::nullopt : found->second.family;
}

bool Lineage::restarts(Pid pid) const {
    const auto found = known_.find(pid);
    if (found == known_.end()) return false;
    return found->second.at_update == AtUpdate::restarted ||
           found->second.at_update == AtUpdate::is_update;
}

bool Lineage::is_restarted(Pid pid) const {
    const auto runs = [this](Pid one) { return restarts(one); };
    if (restarts(pid) || std::ranges::any_of(occupancy_.ancestors_of(pid), runs)) return true;
    if (family_of(pid)) return false;
    return std::ranges::any_of(known_, [&](const auto& entry) {
        const auto ancestors = occupancy_.ancestors_of(entry.first);
        return restarts(entry.first) && std::ranges::find(ancestors, pid) != ancestors.end();
    });
}

Pid Lineage::outermost_of(Pid pid) const {
    Pid outermost = pid;
    for (const Pid ancestor : occupancy_.ancestors_of(pid)) {
        if (known_.contains(ancestor)) outermost = ancestor;
    }
    return outermost;
}

}  // namespace reaper::policy
