// What stands in the way of an update of Hermes, apart from leaks. Pure, like judge().
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/rules.hpp"
#include "policy/verdict.hpp"
#include "scanner/facts.hpp"
#include "scanner/occupants.hpp"

namespace reaper::policy {

enum class ObstacleKind {
    leak,              // leaked, and still there
    young,             // leaked as it seems, but too young to be judged
    stale_file,        // a stale pid file that could not be removed
    sweep,             // another sweep is at work
    update,            // an update is running already
    gateways,          // a home has more than one gateway
    deleted_database,  // somebody writes to a log that is deleted
    occupant,          // somebody runs out of the install, or is a part of Hermes, whom the update does not restart
};

[[nodiscard]] std::string_view to_string(ObstacleKind kind);  // "deleted_database"

struct Obstacle {
    ObstacleKind kind = ObstacleKind::leak;
    std::vector<scanner::Pid> pids;
    std::string user;               // whose they are; empty: not known
    std::vector<std::string> argv;  // of the first one, as it is
    std::string detail;             // what is in the way
    std::string help;               // what helps: a command, where there is one
    bool passes = false;            // by itself, and soon

    bool operator==(const Obstacle&) const = default;
};

// `occupancy` as of the same moment as `facts`, `markers` of updates likewise. This program and what it runs inside of are never in the way,
// nor is anybody whom `leaked` names: that is told elsewhere.
[[nodiscard]] std::vector<Obstacle> find_obstacles(const scanner::Facts& facts, const Rules& rules,
                                                   const scanner::Occupancy& occupancy,
                                                   std::span<const scanner::Claim> markers,
                                                   std::span<const scanner::Pid> leaked);

// It lost its host, and only its age speaks for it.
[[nodiscard]] bool is_growing_up(const Judgement& judgement);

// A member of Hermes itself inside of which this program runs: the nearest one. None: it does not.
struct HermesAround {
    scanner::Pid pid = 0;
    std::string family;
    bool restarted = false;  // by an update, and what runs inside of it ends with it
};
[[nodiscard]] std::optional<HermesAround> hermes_around(const scanner::Facts& facts, const Rules& rules);

}  // namespace reaper::policy
