// Determines which process of a home is the daemon that must stay.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "policy/match/member.hpp"

namespace reaper::policy {

struct Designation {
    std::vector<scanner::Pid> pids;  // one, or none; more only when ambiguous
    bool by_socket = false;  // the kernel says that it serves: not only a file, nor a debugger
    bool at_work = true;     // it can work, so it serves in the place of others
    std::string reason;      // what makes it the daemon
    std::string ambiguity;   // not empty: why no process of this home may be touched
};

// Homes belong to a user: files and processes of other users designate nothing.
using HomeKey = std::pair<scanner::Uid, std::string>;

// Designates a daemon for every home of a family that has daemons.
[[nodiscard]] std::map<HomeKey, Designation> designate(const std::vector<Member>& members,
                                                       const scanner::Facts& facts);

[[nodiscard]] HomeKey home_key(const Member& member);

}  // namespace reaper::policy
