#include "scanner/pid_handle.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "scanner/linux/kernel.hpp"

namespace reaper::scanner {

namespace {

// glibc has no wrapper before 2.36, and its header does not compile as C++. Always sets
// close-on-exec.
int pidfd_open(Pid pid) {
    return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0U));
}

// A process that is just exiting can give EINVAL on older kernels, a thread ENOENT on newer ones.
bool means_no_process(int error) {
    return error == ESRCH || error == EINVAL || error == ENOENT;
}

// Only children may be waited for; others give ECHILD (Linux 5.4).
bool is_child(int handle) {
    siginfo_t none{};
    return ::waitid(kernel::kByHandle, static_cast<id_t>(handle), &none,
                    WEXITED | WNOHANG | WNOWAIT | __WALL) == 0;
}

}  // namespace

Result<PidHandle> PidHandle::open(Pid pid) {
    const std::string subject = "pid " + std::to_string(pid);
    if (pid <= 0) return failure(std::errc::invalid_argument, "open a handle of", subject);
    Fd fd(pidfd_open(pid));
    if (fd) return PidHandle(pid, std::move(fd));
    if (means_no_process(errno))
        return failure(std::errc::no_such_process, "open a handle of", subject);
    return system_failure("open a handle of", subject);
}

bool PidHandle::exits_within(std::chrono::milliseconds timeout) const {
    if (!fd_) return false;
    pollfd entry{fd_.get(), POLLIN, 0};
    int ready = 0;
    do {
        ready = ::poll(&entry, 1, static_cast<int>(timeout.count()));
    } while (ready < 0 && errno == EINTR);
    return ready > 0;
}

std::optional<std::uint64_t> PidHandle::inode() const {
    struct statfs filesystem{};
    if (::fstatfs(fd_.get(), &filesystem) != 0 || filesystem.f_type != kernel::kPidFsMagic)
        return std::nullopt;
    struct stat status{};
    if (::fstat(fd_.get(), &status) != 0) return std::nullopt;
    return status.st_ino;
}

// The kernel stores the exit status when the process is reaped, so a zombie has none yet. The errno
// of a failure is ignored: Linux 6.13 returns ESRCH for living processes, too, and exited() is the
// way to tell.
std::optional<int> PidHandle::wait_status() const {
    if (!fd_) return std::nullopt;
    kernel::PidfdInfo info{};
    info.mask = kernel::kPidfdInfoExit;
    if (::ioctl(fd_.get(), kernel::kPidfdGetInfo, &info) != 0) return std::nullopt;
    if ((info.mask & kernel::kPidfdInfoExit) == 0) return std::nullopt;
    return info.exit_code;
}

// A failure of the first call says nothing about the process: Linux 6.13 returns ESRCH if the
// parent is outside of the namespace.
std::optional<Pid> PidHandle::parent() const {
    kernel::PidfdInfo info{};
    info.mask = kernel::kPidfdInfoPid;
    const bool told = ::ioctl(fd_.get(), kernel::kPidfdGetInfo, &info) == 0 &&
                      (info.mask & kernel::kPidfdInfoPid) != 0;
    if (told) return static_cast<Pid>(info.ppid);
    return is_child(fd_.get()) ? std::optional(::getpid()) : std::nullopt;
}

}  // namespace reaper::scanner
