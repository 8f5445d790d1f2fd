#include "policy/lineage.hpp"

#include <algorithm>

namespace reaper::policy {

using scanner::Occupant;
using scanner::Pid;

Lineage::Lineage(const std::vector<Member>& members, const scanner::Occupancy& occupancy, const Rules& rules)
    : occupancy_(occupancy) {
    Rules all = rules;
    for (FamilyRule& rule : all.families) rule.enabled = true;
    for (const Occupant& occupant : occupancy.occupants) {
        if (occupant.through.empty()) continue;
        const auto match = policy::match(all, occupant.row);
        // What only a mark in its environment would make a part of Hermes may be anything.
        kin_[occupant.row.pid] = match && !match->needs_mark ? Kin{match->rule->name, match->rule->at_update} : Kin{};
    }
    for (const Member& member : members) kin_[member.pid()] = {member.rule().name, member.rule().at_update};
}

std::optional<std::string> Lineage::family_of(Pid pid) const {
    const auto found = kin_.find(pid);
    return found == kin_.end() ? std::nullopt : found->second.family;
}

bool Lineage::restarts(Pid pid) const {
    const auto found = kin_.find(pid);
    if (found == kin_.end()) return false;
    return found->second.at_update == AtUpdate::restarted || found->second.at_update == AtUpdate::is_update;
}

bool Lineage::is_restarted(Pid pid) const {
    const auto runs = [this](Pid one) { return restarts(one); };
    if (restarts(pid) || std::ranges::any_of(occupancy_.ancestors_of(pid), runs)) return true;
    if (family_of(pid)) return false;
    return std::ranges::any_of(kin_, [&](const auto& entry) {
        const auto ancestors = occupancy_.ancestors_of(entry.first);
        return restarts(entry.first) && std::ranges::find(ancestors, pid) != ancestors.end();
    });
}

Pid Lineage::eldest_of(Pid pid) const {
    Pid eldest = pid;
    for (const Pid ancestor : occupancy_.ancestors_of(pid)) {
        if (kin_.contains(ancestor)) eldest = ancestor;
    }
    return eldest;
}

}  // namespace reaper::policy
