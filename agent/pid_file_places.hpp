// Where `pidfiles` looks: the usual folders of a user, those that helpers which run now serve, or those of --home.
#pragma once

#include <string>
#include <vector>

#include "agent/setup.hpp"
#include "scanner/claims.hpp"
#include "scanner/facts.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

struct PidFilePlaces {
    std::vector<scanner::ClaimPlaces> places;  // one a user
    std::vector<scanner::ClaimPlaces>
        markers;                      // where updates of these users leave their markers, with or without --home
    std::vector<std::string> unread;  // folders of which nobody knows what is in them
};

// Every home comes with its profiles. With --home, only those; their files have to belong to the user of the scope, or, where
// that is everybody, to the owner of the folder.
[[nodiscard]] PidFilePlaces pid_file_places(const scanner::Facts& facts, const Setup& setup);

// As they are now.
[[nodiscard]] std::vector<scanner::Claim> read_update_markers(const scanner::Procfs& procfs,
                                                              const PidFilePlaces& places);

}  // namespace reaper::agent
