// /proc/self/mountinfo: how the process table itself is mounted, and which device is behind a mount.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace reaper::scanner {

// A proc file system is mounted on `mount_point` with a hidepid option that hides or closes other users' processes. Of
// several mounts on one point the last one counts, as it covers the others.
[[nodiscard]] bool is_mounted_with_hidepid(std::string_view mountinfo, std::string_view mount_point);

struct MountedDevice {
    std::uint32_t major = 0;
    std::uint32_t minor = 0;

    bool operator==(const MountedDevice&) const = default;
};

// Of the mount with that number (mnt_id in /proc/PID/fdinfo), as the kernel itself knows it: of btrfs and overlayfs stat(2) tells another one.
// None: that mount is not seen here.
[[nodiscard]] std::optional<MountedDevice> find_mounted_device(std::string_view mountinfo, std::uint64_t mount);

}  // namespace reaper::scanner
