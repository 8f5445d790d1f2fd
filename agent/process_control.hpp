// The one door: nothing else in this program can signal a process.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "scanner/pid_handle.hpp"
#include "scanner/result.hpp"

namespace reaper::agent {

enum class Signal { terminate, resume, kill };  // TERM, CONT, KILL

enum class Delivery {
    sent,
    withheld,  // a dry run: everything but the signal
};

class ProcessControl {
   public:
    virtual ~ProcessControl() = default;

    // What send() would do, before anybody announces it: sends nothing. operation_canceled: this target is refused.
    [[nodiscard]] virtual Result<Delivery> admit(const scanner::PidHandle& target) = 0;
    // To the process that the handle pins, and no other. no_such_process: it is gone. operation_not_permitted: not ours.
    [[nodiscard]] virtual Result<Delivery> send(const scanner::PidHandle& target, Signal signal) = 0;
};

// Refuses by itself, whatever the plan says: pid <= 1, this process and its ancestors.
[[nodiscard]] std::unique_ptr<ProcessControl> make_process_control();
[[nodiscard]] std::unique_ptr<ProcessControl> make_dry_run_control();
// For `run`, whose targets are all verified to be its descendants, so that none is an ancestor: whoever those are does not matter.
[[nodiscard]] std::unique_ptr<ProcessControl> make_descendant_control();

// To a program that this one has started, what somebody sent to this program in its place, any signal, by its number. Within one `run` also
// CONT to its other process.
[[nodiscard]] Result<void> pass_on(const scanner::PidHandle& target, int signal);

// Stops this process by a signal that stops, STOP or one that is blocked here, if the kernel lets it and `still_meant` says so. A CONT that
// is sent after that was asked takes it back, but for a moment of STOP, which nobody can hold back.
void stop_by(int signal, const std::function<bool()>& still_meant);

// KILL to everybody in a cgroup that this program made, at once (Linux 5.14). `folder`: the open cgroup.
[[nodiscard]] Result<void> kill_all_in_cgroup(int folder);

}  // namespace reaper::agent
