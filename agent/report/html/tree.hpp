// Which host started which helpers, as trees: one for each host, and one for what has none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/report/html/groups.hpp"
#include "agent/report/report.hpp"
#include "scanner/model/identity.hpp"

namespace reaper::agent::html {

// A group in a tree. Its depth is 0 below the host, and one more below another group.
struct Twig {
    Group group;
    std::size_t depth = 0;
};

struct Tree {
    scanner::Pid host = 0;  // 0: no living host
    bool kept = false;      // helpers without a host, all of which are kept
    std::string name;
    std::string note;
    std::optional<Mark> mark;  // of a host that the report lists itself
    std::vector<Twig> twigs;   // each below the group that it hangs on
    std::size_t leaked = 0;
    std::uint64_t memory_bytes = 0;
};

// Returns the trees of all processes of a report; those with leaks first, then most memory first.
// They point into the report, which has to outlive them.
[[nodiscard]] std::vector<Tree> trees_of(const Report& report);
std::vector<Tree> trees_of(const Report&& report) = delete;

// Draws them, at most so many that a person can look at them; empty without any.
[[nodiscard]] Markup draw(const Report& report, const std::vector<Tree>& trees);

}  // namespace reaper::agent::html
