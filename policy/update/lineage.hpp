// The ancestry of all processes that belong to Hermes: members, and processes that run out of its
// install.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "policy/match/member.hpp"
#include "scanner/model/occupancy.hpp"

namespace reaper::policy {

class Lineage {
   public:
    // Recognises processes of other users by argv alone, and by all families, enabled or not.
    // `occupancy` must outlive this.
    Lineage(const std::vector<Member>& members, const scanner::Occupancy& occupancy,
            const Rules& rules);

    // None: it is no part of Hermes.
    [[nodiscard]] std::optional<std::string> family_of(scanner::Pid pid) const;
    // True if an update restarts it: it or an ancestor is restarted, or it is no part of Hermes and
    // an ancestor of one that is.
    [[nodiscard]] bool is_restarted(scanner::Pid pid) const;
    // Returns its outermost ancestor that belongs to Hermes: all others end with that one.
    [[nodiscard]] scanner::Pid outermost_of(scanner::Pid pid) const;

   private:
    struct KnownProcess {
        std::optional<std::string> family;
        AtUpdate at_update = AtUpdate::untouched;
    };

    [[nodiscard]] bool restarts(scanner::Pid pid) const;

    const scanner::Occupancy& occupancy_;
    std::map<scanner::Pid, KnownProcess> known_;
};

}  // namespace reaper::policy
