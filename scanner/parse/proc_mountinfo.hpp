// Parses /proc/self/mountinfo: how the process table itself is mounted, and which device is behind
// a mount.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reaper::scanner {

// True if a proc file system is mounted on `mount_point` with a hidepid option that hides processes
// of other users or closes their files. Of several mounts on one point the last one counts, as it
// covers the others.
[[nodiscard]] bool is_mounted_with_hidepid(std::string_view mountinfo,
                                           std::string_view mount_point);

struct MountedDevice {
    std::uint32_t major = 0;
    std::uint32_t minor = 0;

    bool operator==(const MountedDevice&) const = default;
};

// Returns the device of the mount with this number (mnt_id in /proc/PID/fdinfo) as the kernel knows
// it; for btrfs and overlayfs stat(2) tells another one. None: this mount is not seen here.
[[nodiscard]] std::optional<MountedDevice> find_mounted_device(std::string_view mountinfo,
                                                               std::uint64_t mount);

// Returns the mount that `path` lies on, by name alone, if its file system depends on another party
// that may never answer: a daemon (FUSE) or a server. Empty: it is of another kind.
[[nodiscard]] std::string find_remote_mount(std::string_view mountinfo, std::string_view path);

// A hierarchy of cgroups that limits the number of processes.
struct PidsHierarchy {
    std::string place;  // where it is mounted
    std::string root;   // the cgroup that is seen there
    bool unified = false;

    bool operator==(const PidsHierarchy&) const = default;
};

// Returns those of version 2, and of version 1 with the controller `pids`, that nothing else is
// mounted on.
[[nodiscard]] std::vector<PidsHierarchy> find_pids_hierarchies(std::string_view mountinfo);

// A file system that other machines may have mounted, too.
struct SharedMount {
    std::string type;  // "nfs4"
    std::string place;
    // The server grants flock(2), so a lock that is granted is held on no machine. NFS without
    // nolock or local_lock, and Ceph; the others have locks for each machine, or cannot say.
    bool shares_locks = false;

    bool operator==(const SharedMount&) const = default;
};

// Returns the mount with this number. None: it is of this machine alone, or not seen here.
[[nodiscard]] std::optional<SharedMount> find_shared_mount(std::string_view mountinfo,
                                                           std::uint64_t mount);

}  // namespace reaper::scanner
