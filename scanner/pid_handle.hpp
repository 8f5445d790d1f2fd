// A pinned process: the one that had this pid when the handle was opened, and no other, for as long as the handle lives.
// The scanner opens and watches handles; it cannot signal through them (agent/control_linux.cpp is the only file that can).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "scanner/fd.hpp"
#include "scanner/identity.hpp"
#include "scanner/result.hpp"

namespace reaper::scanner {

class PidHandle {
   public:
    // no_such_process: nobody (or only a thread) has this pid. invalid_argument: the number is not positive.
    // function_not_supported: the kernel has no pidfd. Any other error (EMFILE, ENOMEM, EPERM): could not look. There is no fallback.
    [[nodiscard]] static Result<PidHandle> open(Pid pid);

    [[nodiscard]] Pid pid() const { return pid_; }

    // The only correct death test: a zombie has exited, a process whose main thread has ended has not.
    [[nodiscard]] bool exited() const { return exits_within(std::chrono::milliseconds(0)); }
    [[nodiscard]] bool exits_within(std::chrono::milliseconds timeout) const;

    // Inode of the handle in pidfs; none before Linux 6.9, where all handles share one inode.
    [[nodiscard]] std::optional<std::uint64_t> inode() const;

    // Wait status (as of waitpid) of a process that has exited; none where the kernel (before 6.15) does not tell.
    [[nodiscard]] std::optional<int> wait_status() const;

    // Its parent, 0 when that is outside of this pid namespace; hidepid does not hide this. None where the kernel (before 6.13) does not
    // tell, unless it is this process, or for a process that was reaped.
    [[nodiscard]] std::optional<Pid> parent() const;

    // For poll(2): readable once the process has exited.
    [[nodiscard]] int raw() const { return fd_.get(); }

   private:
    PidHandle(Pid pid, Fd fd) : pid_(pid), fd_(std::move(fd)) {}

    Pid pid_;
    Fd fd_;
};

}  // namespace reaper::scanner
