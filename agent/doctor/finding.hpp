// What `doctor` says: one finding for each check, in the order in which they are shown.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "agent/system/exit_status.hpp"

namespace reaper::agent {

enum class FindingStatus {
    ok,
    warn,  // it works, but something is missing or will go wrong
    fail,  // leaks are not found, or not ended, until it is mended
    skip,  // does not apply here, or could not be looked at
};

[[nodiscard]] std::string_view to_string(FindingStatus status);

// Monostate: not known.
using FactValue =
    std::variant<std::monostate, bool, std::int64_t, std::string, std::vector<std::string>>;

struct Finding {
    std::string id;  // a stable word: "proc"
    FindingStatus status = FindingStatus::ok;
    std::string message = {};
    std::string fix = {};  // the command that mends it; empty: there is none
    std::vector<std::pair<std::string, FactValue>> facts = {};  // what it was decided by
};

using Findings = std::vector<Finding>;

struct FindingCount {
    std::size_t ok = 0;
    std::size_t warn = 0;
    std::size_t fail = 0;
    std::size_t skip = 0;
};
[[nodiscard]] FindingCount count(const Findings& findings);

// Clean: nothing fails. Leaks_left: something does, or with `strict` something warns. Incomplete:
// the processes could not be looked at, whatever else was found.
[[nodiscard]] ExitStatus exit_status_of(const Findings& findings, bool looked, bool strict);

}  // namespace reaper::agent
