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
#include "scanner/process.hpp"

namespace reaper::agent {

// Who started a helper.
struct Host {
    scanner::Pid pid = 0;  // 0: nobody who lives, or nobody knows
    std::uint64_t start_ticks = 0;
    std::vector<std::string> argv = {};  // redacted

    bool operator==(const Host&) const = default;
};

struct Target {
    policy::Judgement step;
    scanner::PidHandle handle;         // opened before the evidence of the step was read
    scanner::ProcessFacts facts = {};  // that evidence: for the record only
    Host host = {};                    // like that
};

// The second look: is this step still right, on fresh evidence read through this handle? Can only downgrade.
class Verifier {
   public:
    virtual ~Verifier() = default;
    // Asked directly before TERM and again before KILL. Nothing: go on. A text: why not, in words for the report.
    // no_such_process: it has exited. Any other failure: could not look, which is an objection too.
    [[nodiscard]] virtual Result<std::optional<std::string>> objection(const Target& target) = 0;
};

// Told of every signal before it is sent, once the door has said that it will be; where it cannot write that down, the signal is
// not sent. A dry run never asks it.
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
    ActivityReader activity;  // must be set
    int interrupt = -1;       // readable when the user wants to stop (a signalfd); -1: none
};

struct ReaperTimes {
    std::chrono::milliseconds after_kill{5000};  // how long to wait for the kernel after KILL
    std::chrono::milliseconds slice{1000};       // by how much grace is extended at a time for a busy database
    std::chrono::milliseconds exiting{500};      // how long it may take to die once it has lost its program
    std::chrono::milliseconds blink{50};  // how soon to look again for a lock that may just be between two transactions
};

// One outcome a target, in the order of the targets. Never signals a target after its verifier objected, never more
// than TERM, CONT and KILL. Sleeps in poll(2) only, until somebody exits or the next deadline. No target of a unit
// (Judgement::ends_with) is signalled when another one of it is objected to, or is not among the targets; one that has
// simply exited does not matter. A judgement's grace runs from TERM on; so does its grace_cap, up to which a database
// that gets on with its work extends it.
[[nodiscard]] std::vector<Outcome> reap(const std::vector<Target>& targets, const ReaperParts& parts,
                                        const ReaperTimes& times = {});

}  // namespace reaper::agent
