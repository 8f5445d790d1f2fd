// Where `pidfiles` looks: the usual folders of a user, the homes that running helpers serve, or
// those of --home.
#pragma once

#include <string>
#include <vector>

#include "agent/observe/setup.hpp"
#include "scanner/claims.hpp"
#include "scanner/model/facts.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

struct PidFilePlaces {
    std::vector<scanner::ClaimPlaces> places;  // one a user
    std::vector<scanner::ClaimPlaces>
        markers;  // where updates of these users leave their markers, with or without --home
    std::vector<std::string> unread;  // folders that could not be read
};

// Returns the homes, each with its profiles. With --home, only those; their files must belong to
// the user of the scope or, when the scope is all users, to the owner of the folder.
[[nodiscard]] PidFilePlaces pid_file_places(const scanner::Facts& facts, const Setup& setup);

// Root that looks at its own processes only, in folders of another user that the command line or
// HERMES_HOME names: returns a remark for each.
[[nodiscard]] std::vector<std::string> remarks_on_home(const Setup& setup);

// Reads the update markers as they are now.
[[nodiscard]] std::vector<scanner::Claim> read_update_markers(const scanner::ProcessTable& table,
                                                              const PidFilePlaces& places);

}  // namespace reaper::agent
