// Recognises the leases by which Hermes keeps an environment from being removed: files below
// ROOT/installs/KEY/environments/GENERATION/.leases that a process keeps open and locked.
#pragma once

#include <optional>
#include <string_view>

namespace reaper::scanner {

struct LeasePath {
    std::string_view root;     // of Hermes: "/home/u/.hermes"
    std::string_view install;  // "ROOT/installs/0123456789abcdef"
    std::string_view generation;
};

// Parses a path as the link of a descriptor shows it, with or without " (deleted)". None: it is no
// lease.
[[nodiscard]] std::optional<LeasePath> parse_lease_path(std::string_view path);

}  // namespace reaper::scanner
