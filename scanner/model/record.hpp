// A look as a file keeps it, to be judged again elsewhere: the facts, and what else decided.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "scanner/model/facts.hpp"

namespace reaper::scanner {

// What a user protects by a rule file: that user's processes that match every field given here.
struct Protection {
    Uid uid = 0;
    std::string origin;  // the file
    std::string exe;
    std::vector<std::string> arguments;
    std::string home;

    bool operator==(const Protection&) const = default;
};

// A user whose rule files could not be read or are wrong, so that what they protect is not known.
struct UserWithUnreadableRules {
    Uid uid = 0;
    std::string why;

    bool operator==(const UserWithUnreadableRules&) const = default;
};

// Helpers of one family and home that were ended repeatedly and started again each time, as the
// history recorded it.
struct Keepalive {
    Uid uid = 0;  // of the helpers
    std::string family;
    std::string home;
    Pid host = 0;  // the process that starts them; 0: not known
    std::uint64_t host_start_ticks = 0;
    std::string host_command;      // redacted, ready for a report
    std::size_t ends = 0;          // ends that were each followed by a new start
    std::uint64_t last_ticks = 0;  // of the last of these ends, in the clock of start_ticks

    bool operator==(const Keepalive&) const = default;
};

// What a look was judged by besides its facts and the rules of this program's own user.
struct Background {
    // Of other users than the one of this program, whose own protections are among the rules.
    std::vector<Protection> protections;
    std::vector<UserWithUnreadableRules> users_with_unreadable_rules;
    // Read from the history only if a process is to be ended that could be started again.
    std::vector<Keepalive> keepalives;

    bool operator==(const Background&) const = default;
};

struct Record : Facts, Background {
    bool operator==(const Record&) const = default;
};

}  // namespace reaper::scanner
