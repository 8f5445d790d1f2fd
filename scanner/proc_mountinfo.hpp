// /proc/self/mountinfo: how the process table itself is mounted.
#pragma once

#include <string_view>

namespace reaper::scanner {

// A proc file system is mounted on `mount_point` with a hidepid option that hides or closes other users' processes. Of
// several mounts on one point the last one counts, as it covers the others.
[[nodiscard]] bool is_mounted_with_hidepid(std::string_view mountinfo, std::string_view mount_point);

}  // namespace reaper::scanner
