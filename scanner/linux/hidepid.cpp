#include "scanner/linux/hidepid.hpp"

#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

#include "scanner/linux/procfs.hpp"
#include "scanner/parse/proc_mountinfo.hpp"
#include "scanner/read_file.hpp"

namespace reaper::scanner {

namespace {

constexpr std::size_t kStatLimit = 4096;
constexpr std::size_t kMountsLimit = 4 * 1024 * 1024;  // container hosts have thousands of mounts

// CAP_SYS_PTRACE sees through hidepid (fs/proc/base.c, has_pid_permissions).
bool may_trace() {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> data{};
    if (::syscall(SYS_capget, &header, data.data()) != 0) return false;
    return (data[0].effective & (1U << CAP_SYS_PTRACE)) != 0;
}

}  // namespace

// Tests with process 1, which always exists. hidepid=1 lists it but refuses its files; hidepid=2
// and 4 do not show it at all. If it belongs to our own user (a container, or root), seeing it
// proves nothing, so rights and mount options decide.
bool hides_processes(const ProcessTable& table) {
    struct stat init;
    if (!read_at(fd_of(table), "1/stat", kStatLimit) || ::fstatat(fd_of(table), "1", &init, 0) != 0)
        return true;
    if (init.st_uid != ::geteuid() || may_trace()) return false;
    const auto mounts = read_at(fd_of(table), "self/mountinfo", kMountsLimit);
    return !mounts || mounts->truncated || is_mounted_with_hidepid(mounts->bytes, table.name());
}

}  // namespace reaper::scanner
