// Constants of the kernel that some C library headers lack, all in this one place, each with the
// version of Linux that introduced it.
#pragma once

#include <linux/ioctl.h>
#include <linux/types.h>
#include <sys/wait.h>

#include <cstdint>

namespace reaper::scanner::kernel {

// linux/magic.h, 6.9: the file system of pidfds, where each process has an inode of its own.
inline constexpr std::int64_t kPidFsMagic = 0x50494446;

// linux/magic.h: anonymous pipes, as opposed to named FIFOs.
inline constexpr std::int64_t kPipeFsMagic = 0x50495045;

// linux/magic.h: terminals of ssh, tmux, script and the like.
inline constexpr std::int64_t kDevPtsMagic = 0x1cd1;

// linux/pidfd.h, 6.13 (first size, 64 bytes); kPidfdInfoExit and exit_code are from 6.15.
struct PidfdInfo {
    __u64 mask = 0;
    __u64 cgroup_id = 0;
    __u32 pid = 0;
    __u32 tgid = 0;
    __u32 ppid = 0;
    __u32 ruid = 0, rgid = 0;
    __u32 euid = 0, egid = 0;
    __u32 suid = 0, sgid = 0;
    __u32 fsuid = 0, fsgid = 0;
    __s32 exit_code = 0;
};
static_assert(sizeof(PidfdInfo) == 64);

inline constexpr std::uint64_t kPidfdInfoPid = 1ULL << 0;
inline constexpr std::uint64_t kPidfdInfoExit = 1ULL << 3;

// linux/wait.h, 5.4: P_PIDFD, in glibc since 2.36.
inline constexpr auto kByHandle = static_cast<idtype_t>(3);

// PIDFD_GET_INFO
inline constexpr unsigned long kPidfdGetInfo = _IOWR(0xFF, 11, PidfdInfo);

}  // namespace reaper::scanner::kernel
