// /proc/PID/cgroup, and which systemd unit a path in it belongs to.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "scanner/process.hpp"
#include "scanner/result.hpp"

namespace reaper::scanner {

// The path in systemd's own hierarchy: "0::" on a unified system, "name=systemd" on a legacy or hybrid one (where both
// are there, name=systemd, unless it is "/" and the unified one is not). no_such_file_or_directory: there is no such
// line, so no systemd. invalid_argument: malformed, cut off, or a line stands there twice.
[[nodiscard]] Result<std::string> systemd_path(std::string_view text);

// The path in the hierarchy of version 2. no_such_file_or_directory: there is none; invalid_argument: as above.
[[nodiscard]] Result<std::string> unified_path(std::string_view text);

// The innermost *.service or *.scope of the path, with systemd's "\x2d" escapes left as they are. None: in no unit.
// "user@1000.service/init.scope" (the user manager itself) is the unit "init.scope" of the user manager.
[[nodiscard]] std::optional<ServiceUnit> unit_of(std::string_view cgroup_path);

// The cgroup of a `systemd --user` process itself: ".../user@UID.service/init.scope".
[[nodiscard]] bool is_user_manager_path(std::string_view cgroup_path);

}  // namespace reaper::scanner
