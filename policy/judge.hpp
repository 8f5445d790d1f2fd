// Facts and rules in, one judgement for every family member out. Pure: same input, same output, byte for byte.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "policy/rules.hpp"
#include "policy/verdict.hpp"
#include "scanner/facts.hpp"

namespace reaper::policy {

// What the command line changes about the rules.
struct Settings {
    std::vector<scanner::Uid> uids;     // whose processes may be ended; empty: everybody's, each by his own files
    std::vector<std::string> homes;     // empty: all
    std::vector<std::string> families;  // empty: all that are on; the others are told apart from these, and not judged
    std::set<Verdict> also_reap;        // abandoned, duplicate, held
    bool reap_inside_services = false;  // orphans that sit in a service's cgroup without being the service
    std::optional<std::chrono::milliseconds> min_age;
    std::optional<std::chrono::milliseconds> grace;
    std::optional<std::chrono::milliseconds> grace_cap;
};

// By pid. Candidates that no rule matches any more yield nothing.
[[nodiscard]] std::vector<Judgement> judge(const scanner::Facts& facts, const Rules& rules, const Settings& settings);

}  // namespace reaper::policy
