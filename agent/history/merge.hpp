// Merges the histories of one user: sweeps may keep them in several folders, as the administrator's
// timer has another one than a crontab or a shell.
#pragma once

#include <string>
#include <vector>

#include "agent/history/history.hpp"
#include "scanner/model/identity.hpp"
#include "scanner/model/result.hpp"

namespace reaper::agent {

// A folder below `top`, which is known to belong to the right user.
struct HistoryPlace {
    std::string top;
    std::string below;
};

// Returns where this user may have a history: in the home that the password file names, and in
// /var/lib/orphan-reaper. Root has only its own.
[[nodiscard]] std::vector<HistoryPlace> usual_history_places();

// Reads the folder `own`, and those of `places` that are others, and sorts by time. Of the others
// it reads only regular files of `user` or root, follows no link, and leaves out what cannot be
// read. Fails as read_history() does, for `own`, which may be empty.
[[nodiscard]] Result<History> read_histories(const std::string& own,
                                             const std::vector<HistoryPlace>& places,
                                             scanner::Uid user);

// Adds up the sums of the histories and of the runs in the same places. Fails likewise.
[[nodiscard]] Result<Totals> read_totals(const std::string& own,
                                         const std::vector<HistoryPlace>& places,
                                         scanner::Uid user);

}  // namespace reaper::agent
