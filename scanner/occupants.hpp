// Who runs out of an install, whatever it is: its programs, its interpreters, scripts that lie in it, libraries from it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "scanner/process_table.hpp"
#include "scanner/result.hpp"

namespace reaper::scanner {

// Folders, without a slash at their end.
struct Premises {
    std::vector<std::string> installs;
    std::vector<std::string> homes;  // where databases lie
};

struct Occupant {
    ProcessRow row;
    std::string user;
    std::string through;  // what lies below an install: its program, script or a library; or empty
    std::vector<std::string> deleted_databases;  // logs below a home that it has open and nobody else can find
    bool heads_service = false;                  // a service manager started it as the main process of a service

    bool operator==(const Occupant&) const = default;
};

struct Occupancy {
    std::vector<Occupant> occupants;      // by pid
    std::map<Pid, Pid> parents;           // of every process that there is
    std::vector<ProcessRow> unseen = {};  // by pid: of whom only the command line is shown, outside of containers

    // Parent first.
    [[nodiscard]] std::vector<Pid> ancestors_of(Pid pid) const;
};

// Of all users: what is not shown of other users' processes is passed by; argv is shown of everybody unless /proc hides it. Kernel
// threads and zombies occupy nothing; nor does a process of another pid namespace, a container, unless it sees the same folders. Fails
// only when the table cannot be read.
[[nodiscard]] Result<Occupancy> find_occupants(const Procfs& procfs, const Premises& premises);

}  // namespace reaper::scanner
