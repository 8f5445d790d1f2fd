// A situation for the tests: alice, a program in /usr/local/bin, no units, an empty crontab.
#pragma once

#include <string>

#include "agent/schedule/parts.hpp"

namespace reaper::agent {

inline Situation found_for_alice() {
    Situation found;
    found.program = "/usr/local/bin/orphan-reaper";
    found.account = "alice";
    found.uid = 1500;
    found.unit_folder = "/home/alice/.config/systemd/user";
    found.crontab = "";
    return found;
}

// As after `cmake --install`: loaded, and not enabled.
inline void add_package(Situation& found) {
    for (const char* name :
         {"orphan-reaper.timer", "orphan-reaper.service", "orphan-reaper-watch.service",
          "orphan-reaper@alice.timer", "orphan-reaper@alice.service"}) {
        UnitState unit{.name = name,
                       .path = std::string("/usr/lib/systemd/user/") + name,
                       .load = "loaded",
                       .enabled = "disabled",
                       .active = "inactive",
                       .result = "success"};
        const bool watches = unit.name.find("watch") != std::string::npos;
        if (!unit.name.ends_with(".timer"))
            unit.command = found.program + (watches ? " watch" : " sweep --quiet");
        unit.runs_this = !unit.command.empty();
        found.units[name] = unit;
    }
}

}  // namespace reaper::agent
