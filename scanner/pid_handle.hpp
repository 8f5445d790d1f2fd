// A pinned process: the one that had this pid when the handle was opened, and no other, as long as
// the handle exists. The scanner opens and watches handles but cannot signal through them: only
// agent/reaping/control_linux.cpp can.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "scanner/fd.hpp"
#include "scanner/model/identity.hpp"
#include "scanner/model/result.hpp"

namespace reaper::scanner {

class PidHandle {
   public:
    // Opens a handle. no_such_process: no process (or only a thread) has this pid.
    // invalid_argument: the number is not positive. function_not_supported: the kernel has no
    // pidfd. Any other error (EMFILE, ENOMEM, EPERM): could not look. There is no fallback.
    [[nodiscard]] static Result<PidHandle> open(Pid pid);

    // Takes over `fd`, a handle of `pid` that another process of this program opened and sent.
    [[nodiscard]] static PidHandle adopt(Pid pid, Fd fd) { return {pid, std::move(fd)}; }

    // Only names `pid`, until a handle of it is opened: for this exited() is false.
    [[nodiscard]] static PidHandle unopened(Pid pid) { return {pid, Fd()}; }

    [[nodiscard]] Pid pid() const { return pid_; }

    // True once it has ended. The only correct test for that: a zombie has exited, a process whose
    // main thread has ended has not.
    [[nodiscard]] bool exited() const { return exits_within(std::chrono::milliseconds(0)); }
    [[nodiscard]] bool exits_within(std::chrono::milliseconds timeout) const;

    // Returns the inode of the handle in pidfs; none before Linux 6.9, where all handles share one.
    [[nodiscard]] std::optional<std::uint64_t> inode() const;

    // Returns the wait status (as of waitpid) of a process that has exited; none if the kernel does
    // not tell (before 6.15).
    [[nodiscard]] std::optional<int> wait_status() const;

    // Returns its parent, 0 if that is outside of this pid namespace; hidepid does not hide this.
    // None: it was reaped, or the parent is another process than this one and the kernel does not
    // tell (before 6.13).
    [[nodiscard]] std::optional<Pid> parent() const;

    // For poll(2): readable once the process has exited.
    [[nodiscard]] int raw() const { return fd_.get(); }

   private:
    PidHandle(Pid pid, Fd fd) : pid_(pid), fd_(std::move(fd)) {}

    Pid pid_;
    Fd fd_;
};

}  // namespace reaper::scanner
