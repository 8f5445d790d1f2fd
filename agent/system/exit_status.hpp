// What every command tells its caller.
#pragma once

namespace reaper::agent {

enum class ExitStatus : int {
    clean = 0,       // nothing leaked is left
    leaks_left = 1,  // leaks were found and left (report, dry run), or a check failed (doctor)
    usage = 2,
    configuration = 3,  // configuration or rules are invalid; nothing was done
    incomplete = 4,     // not enough could be read to be sure
    not_ended = 5,      // something that should have ended did not
    blocked = 6,        // preflight: something is in the way
    interrupted = 130,  // what was done is in the history
};

}  // namespace reaper::agent
