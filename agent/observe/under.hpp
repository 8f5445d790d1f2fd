// The folder of --under.
#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "agent/cli/cli.hpp"

namespace reaper::agent {

struct UnderFolder {
    // Absolute paths: without links first, then by which links its user came to it. Empty: --under
    // was not given.
    std::vector<std::string> names;
    std::string home;  // a folder that exists: the same, or what is left above it
};

// Resolves what was typed, on a file system that may hang. A folder that was deleted has its name,
// below what is left of its path. Fails with a message for people: the root, a home folder and what
// lies above one are refused.
[[nodiscard]] tl::expected<UnderFolder, Message> find_under(const std::string& typed);

}  // namespace reaper::agent
