// The processes that run out of an install, as they were seen.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "scanner/model/process.hpp"

namespace reaper::scanner {

struct Occupant {
    ProcessRow row;
    std::string user;
    std::string through;  // its program, script or library below an install; or empty
    // Write-ahead logs below a home that it has open, and that have no name any more.
    std::vector<std::string> deleted_databases;
    std::vector<Lease> leases;   // of installs of a Hermes below a home
    bool heads_service = false;  // a service manager started it as the main process of a service

    bool operator==(const Occupant&) const = default;
};

struct Occupancy {
    std::vector<Occupant> occupants;  // by pid
    std::map<Pid, Pid> parents;       // of every process
    // Processes outside of containers of which only the command line is shown, by pid.
    std::vector<ProcessRow> unseen = {};
    // Processes that have more open than is read of one user, by pid.
    std::vector<ProcessRow> overfull = {};

    // Returns the ancestors that were seen, parent first; empty: `pid` was not seen.
    [[nodiscard]] std::vector<Pid> ancestors_of(Pid pid) const;
};

}  // namespace reaper::scanner
