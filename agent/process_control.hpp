// The one door: nothing else in this program can signal a process.
#pragma once

#include <chrono>
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

}  // namespace reaper::agent
