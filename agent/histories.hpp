// One user's sweeps may keep histories in several folders: the administrator's timer has another one than a crontab or a shell.
#pragma once

#include <string>
#include <vector>

#include "agent/history.hpp"
#include "scanner/identity.hpp"
#include "scanner/result.hpp"

namespace reaper::agent {

// A folder below one that is known to be whose it should be.
struct HistoryPlace {
    std::string top;
    std::string below;
};

// Where the user who runs this may have one: in the home that the password file tells, and in /var/lib/orphan-reaper. Root has only its own.
[[nodiscard]] std::vector<HistoryPlace> usual_history_places();

// What is in the folder `own`, and in those of `places` that are others, in order of time. Of the others only regular files of `user` or
// of root are read, and through no link; what cannot be read is left out. Fails as read_history() does, for `own`; that may have no name.
[[nodiscard]] Result<History> read_histories(const std::string& own, const std::vector<HistoryPlace>& places,
                                             scanner::Uid user);

}  // namespace reaper::agent
