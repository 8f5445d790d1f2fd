// The mark that `run` puts into the environment of all that it starts, directly or not: the host
// that they must end with.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scanner/model/identity.hpp"

namespace reaper::policy {

inline constexpr std::string_view kRunMark = "ORPHAN_REAPER";

// Returns "v1:<boot id>:<pid namespace>:<pid>:<start ticks>".
[[nodiscard]] std::string run_mark(const scanner::Identity& host);

// Returns the parts between the colons of a mark of any version.
[[nodiscard]] std::vector<std::string_view> split_mark(std::string_view text);

// Reads a mark. None: it has another version, or another form.
[[nodiscard]] std::optional<scanner::Identity> read_run_mark(std::string_view text);

}  // namespace reaper::policy
