// Parses /proc/PID/cgroup, and tells which systemd unit a path in it belongs to.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "scanner/model/process.hpp"
#include "scanner/model/result.hpp"

namespace reaper::scanner {

// Returns the path in the hierarchy of systemd: the line "0::" on a unified system, "name=systemd"
// on a legacy or hybrid one. With both, name=systemd counts unless it is "/" and the unified path
// is not. no_such_file_or_directory: there is no such line, so no systemd. invalid_argument:
// malformed, cut off, or a line occurs twice.
[[nodiscard]] Result<std::string> systemd_path(std::string_view text);

// Returns the path in the hierarchy of version 2. no_such_file_or_directory: there is none;
// invalid_argument: as above.
[[nodiscard]] Result<std::string> unified_path(std::string_view text);

// Returns the path in the hierarchy of version 1 that has this controller. Fails alike.
[[nodiscard]] Result<std::string> controller_path(std::string_view text,
                                                  std::string_view controller);

// Returns the innermost *.service or *.scope of the path, with the "\x2d" escapes of systemd left
// as they are. None: in no unit. "user@1000.service/init.scope" (the user manager itself) is the
// unit "init.scope" of the user manager. A scope that a service made below itself, in no slice,
// counts as a part of that service.
[[nodiscard]] std::optional<ServiceUnit> unit_of(std::string_view cgroup_path);

// True if only slices lie between `root`, the cgroup of a manager, and the unit of the path, so
// that this manager made the unit. False: something below another unit may have given it its name.
[[nodiscard]] bool lies_in_slices(std::string_view cgroup_path, std::string_view root);

// True for the cgroup of a `systemd --user` process itself: ".../user@UID.service/init.scope".
[[nodiscard]] bool is_user_manager_path(std::string_view cgroup_path);

}  // namespace reaper::scanner
