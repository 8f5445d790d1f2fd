// Finds what blocks an update of Hermes, besides leaks. Pure, like judge().
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/rules/rules.hpp"
#include "policy/rules/verdict.hpp"
#include "scanner/model/facts.hpp"
#include "scanner/model/occupancy.hpp"

namespace reaper::policy {

enum class ObstacleKind {
    leak,              // leaked, and still there
    young,             // probably leaked, but too young to be judged
    stale_file,        // a stale pid file that could not be removed
    sweep,             // another sweep is running
    update,            // an update is running already
    gateways,          // a home has more than one gateway
    deleted_database,  // a process writes to a log that is deleted
    // A process runs out of the install, or is a part of Hermes, and the update does not restart
    // it.
    occupant,
};

[[nodiscard]] std::string_view to_string(ObstacleKind kind);  // "deleted_database"

struct Obstacle {
    ObstacleKind kind = ObstacleKind::leak;
    std::vector<scanner::Pid> pids;
    std::string user;               // of the processes; empty: not known
    std::vector<std::string> argv;  // of the first process, unredacted
    std::string detail;             // what blocks the update
    std::string help;               // what to do: a command, if there is one
    bool passes = false;            // it ends by itself, and soon
    std::string unit = {};          // of systemd, that the first process is in; empty: none

    bool operator==(const Obstacle&) const = default;
};

// Finds all obstacles. `occupancy` and the `markers` of updates are of the same moment as `facts`.
// This program, what it runs inside of, and processes in `leaked` are never obstacles; those are
// reported elsewhere.
[[nodiscard]] std::vector<Obstacle> find_obstacles(const scanner::Facts& facts, const Rules& rules,
                                                   const scanner::Occupancy& occupancy,
                                                   std::span<const scanner::Claim> markers,
                                                   std::span<const scanner::Pid> leaked);

// Returns the unit of systemd that a process is in; empty: none, or not known.
[[nodiscard]] std::string unit_name_of(const scanner::ProcessRow& row);

// True if the process lost its host, and only its age keeps it.
[[nodiscard]] bool is_young_orphan(const Judgement& judgement);

// The nearest member of Hermes that this program runs inside of. None: there is none.
struct EnclosingHermes {
    scanner::Pid pid = 0;
    std::string family;
    bool restarted = false;  // an update restarts it, and ends what runs inside of it
};
[[nodiscard]] std::optional<EnclosingHermes> find_enclosing_hermes(const scanner::Facts& facts,
                                                                   const Rules& rules);

}  // namespace reaper::policy
