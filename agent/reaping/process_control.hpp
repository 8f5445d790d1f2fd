// The only way to signal: nothing else in this program signals a process.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "scanner/model/result.hpp"
#include "scanner/pid_handle.hpp"

namespace reaper::agent {

enum class Signal { terminate, resume, kill };  // TERM, CONT, KILL

enum class Delivery {
    sent,
    withheld,  // a dry run: everything but the signal
};

class ProcessControl {
   public:
    virtual ~ProcessControl() = default;

    // Says what send() would do, before the signal is announced, and sends nothing.
    // operation_canceled: this target is refused.
    [[nodiscard]] virtual Result<Delivery> admit(const scanner::PidHandle& target) = 0;
    // Signals the process that the handle pins, and no other. no_such_process: it has exited.
    // operation_not_permitted: it is not ours.
    [[nodiscard]] virtual Result<Delivery> send(const scanner::PidHandle& target,
                                                Signal signal) = 0;
};

// Refuse, whatever the plan says: pid <= 1, this process and its ancestors.
[[nodiscard]] std::unique_ptr<ProcessControl> make_process_control();
[[nodiscard]] std::unique_ptr<ProcessControl> make_dry_run_control();
// For `run`: its targets are all verified to be its descendants, so that none is an ancestor, and
// it need not know its ancestors.
[[nodiscard]] std::unique_ptr<ProcessControl> make_descendant_control();

// Sends `signal` to a child that this process started, by the handle from its start: forwards what
// this process received, or ends a copy that reads for too long. Within one `run` also CONT to its
// other process.
[[nodiscard]] Result<void> pass_on(const scanner::PidHandle& target, int signal);

// Stops this process by `signal` (STOP, or one that is blocked here), if the kernel allows it and
// `still_meant` returns true. A CONT that comes after that call takes the stop back, but for a
// moment of STOP, which cannot be held back.
void stop_by(int signal, const std::function<bool()>& still_meant);

// Sends KILL to every process in a cgroup that this program made, at once (Linux 5.14). `folder`:
// the open cgroup.
[[nodiscard]] Result<void> kill_all_in_cgroup(int folder);

}  // namespace reaper::agent
