// What the command line changes about the rules.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "policy/rules/verdict.hpp"

namespace reaper::policy {

struct Settings {
    // Only processes of these users may be ended; empty: of all users, each judged by their own
    // files.
    std::vector<scanner::Uid> uids;
    std::vector<std::string> homes;  // these and what lies below; empty: all
    std::vector<std::string> under;  // names of a folder: only what runs there or below; empty: all
    // Empty: all that are enabled. Members of other families are recognised, but not judged.
    std::vector<std::string> families;
    std::set<Verdict> also_reap;  // abandoned, duplicate, held
    // Also end orphans that are inside the cgroup of a service without being the service.
    bool reap_inside_services = false;
    std::optional<std::chrono::milliseconds> min_age;
    std::optional<std::chrono::milliseconds> grace;
    std::optional<std::chrono::milliseconds> grace_cap;
};

}  // namespace reaper::policy
