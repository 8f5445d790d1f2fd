// Who started whom among those that have to do with Hermes: members, and whoever else runs out of its install.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "policy/member.hpp"
#include "scanner/occupants.hpp"

namespace reaper::policy {

class Lineage {
   public:
    // What other users' processes are is told by their argv alone, and by all families, switched on or not. `occupancy` outlives this.
    Lineage(const std::vector<Member>& members, const scanner::Occupancy& occupancy, const Rules& rules);

    // None: it is no part of Hermes.
    [[nodiscard]] std::optional<std::string> family_of(scanner::Pid pid) const;
    // By an update: it, or who it descends from; or, of a stranger, whom it merely wraps.
    [[nodiscard]] bool is_restarted(scanner::Pid pid) const;
    // The first of its line that has to do with Hermes: the others end with that one.
    [[nodiscard]] scanner::Pid eldest_of(scanner::Pid pid) const;

   private:
    struct Kin {
        std::optional<std::string> family;
        AtUpdate at_update = AtUpdate::untouched;
    };

    [[nodiscard]] bool restarts(scanner::Pid pid) const;

    const scanner::Occupancy& occupancy_;
    std::map<scanner::Pid, Kin> kin_;
};

}  // namespace reaper::policy
