// Ends the steps of a plan, all side by side: verify, TERM and CONT, wait on the handles, verify again, KILL, wait.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/outcome.hpp"
#include "agent/process_control.hpp"
#include "policy/plan.hpp"
#include "scanner/activity.hpp"
#include "scanner/pid_handle.hpp"

namespace reaper::agent {

struct Target {
    policy::Judgement step;
    scanner::PidHandle handle;  // opened before the evidence of the step was read
};

// The second look: is this step still right, on fresh evidence read through this handle? Can only downgrade.
class Verifier {
   public:
    virtual ~Verifier() = default;
    // Nothing: go on. A text: why not, in words for the report. no_such_process: it has exited.
    [[nodiscard]] virtual Result<std::optional<std::string>> objection(const Target& target) = 0;
};

// Told of every signal before it is sent; where it cannot write that down, the signal is not sent.
class DecisionLog {
   public:
    virtual ~DecisionLog() = default;
    [[nodiscard]] virtual Result<void> about_to_signal(const Target& target, Signal signal) = 0;
    // After the fact; a failure to write it changes nothing any more.
    virtual void ended(const Target& target, const Outcome& outcome) = 0;
};

// Who is still ending and how long that may take, for a person who watches.
class Progress {
   public:
    virtual ~Progress() = default;
    virtual void waiting(std::size_t running, std::size_t finished, std::chrono::milliseconds at_most) = 0;
};

using ActivityReader = std::function<Result<scanner::Activity>(const scanner::PidHandle&)>;

struct ReaperParts {
    ProcessControl& control;
    Verifier& verifier;
    DecisionLog& log;
    Progress& progress;
    ActivityReader activity;
    int interrupt = -1;  // readable when the user wants to stop (a signalfd); -1: none
};

struct ReaperTimes {
    std::chrono::milliseconds after_kill{5000};  // how long to wait for the kernel after KILL
    std::chrono::milliseconds slice{1000};       // how often a busy database is looked at again once grace is over
};

// One outcome a target, in the order of the targets. Never signals a target after its verifier objected. Sleeps in poll(2) only.
// A target of a unit is not signalled at all when another one of its unit is objected to before the first TERM.
[[nodiscard]] std::vector<Outcome> reap(const std::vector<Target>& targets, ReaperParts parts, ReaperTimes times = {});

}  // namespace reaper::agent
