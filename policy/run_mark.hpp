// What `run` writes into the environment of what it starts, and so of all that starts in turn: which host it ends with.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scanner/identity.hpp"

namespace reaper::policy {

inline constexpr std::string_view kRunMark = "ORPHAN_REAPER";

// "v1:<boot id>:<pid namespace>:<pid>:<start ticks>"
[[nodiscard]] std::string run_mark(const scanner::Identity& host);

// What stands between the colons of any such mark.
[[nodiscard]] std::vector<std::string_view> split_mark(std::string_view text);

// None: of another version, or out of form.
[[nodiscard]] std::optional<scanner::Identity> read_run_mark(std::string_view text);

}  // namespace reaper::policy
