// Which process of a home is the daemon that must stay?
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "policy/member.hpp"

namespace reaper::policy {

struct Designation {
    std::vector<scanner::Pid> pids;  // one, or none; more only when ambiguous
    bool by_port = false;
    std::string reason;     // what makes it the daemon
    std::string ambiguity;  // not empty: nobody of this home may be touched, and why
};

// Homes belong to a user: another user's file or process designates nobody.
using HomeKey = std::pair<scanner::Uid, std::string>;

// For every home of a family that has daemons.
[[nodiscard]] std::map<HomeKey, Designation> designate(const std::vector<Member>& members, const scanner::Facts& facts);

[[nodiscard]] HomeKey home_key(const Member& member);

}  // namespace reaper::policy
