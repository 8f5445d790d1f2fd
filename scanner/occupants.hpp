// Who runs out of an install, whatever it is: its programs, its interpreters, scripts that lie in it, libraries from it.
#pragma once

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
    std::vector<std::string>
        deleted_databases;       // write-ahead logs below a home that it has open and nobody else can find
    std::vector<Pid> ancestors;  // parent first

    bool operator==(const Occupant&) const = default;
};

// By pid, of all users: what is not shown of other users' processes is passed by; argv is shown of everybody unless /proc hides it.
// Kernel threads and zombies occupy nothing. Fails only when the table cannot be read.
[[nodiscard]] Result<std::vector<Occupant>> find_occupants(const Procfs& procfs, const Premises& premises);

}  // namespace reaper::scanner
