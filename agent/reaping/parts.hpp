// What a reaper works with: its targets, and the parts that look, signal, write down and show.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/reaping/outcome.hpp"
#include "agent/reaping/process_control.hpp"
#include "policy/verdict/plan.hpp"
#include "scanner/activity.hpp"
#include "scanner/model/process.hpp"
#include "scanner/pid_handle.hpp"

namespace reaper::agent {

// The process that started a helper.
struct Host {
    scanner::Pid pid = 0;  // 0: it has exited, or is not known
    std::uint64_t start_ticks = 0;
    std::vector<std::string> argv = {};  // redacted

    bool operator==(const Host&) const = default;
};

struct Target {
    policy::Judgement step;
    scanner::PidHandle handle;         // opened before the evidence of the step was read; unopened
                                       // where ReaperParts::open opens it for each step
    scanner::ProcessFacts facts = {};  // that evidence: for the record only
    Host host = {};                    // like that
};

// The second look: decides on fresh evidence, read through the target's handle, whether its step is
// still right. It can only downgrade.
class Verifier {
   public:
    virtual ~Verifier() = default;
    // Asked directly before TERM and again before KILL. Nothing: go on. A text: why not, for the
    // report. no_such_process: the target has exited. Any other failure: could not look, which is
    // an objection too.
    [[nodiscard]] virtual Result<std::optional<std::string>> objection(const Target& target) = 0;
};

// Writes down every signal before it is sent, once the process control has admitted it. When that
// fails, the signal is not sent. A dry run never calls it.
class DecisionLog {
   public:
    virtual ~DecisionLog() = default;
    [[nodiscard]] virtual Result<void> about_to_signal(const Target& target, Signal signal) = 0;
    // After the fact; a failure to write it changes nothing any more.
    virtual void ended(const Target& target, const Outcome& outcome) = 0;
};

// Shows a person how many targets still run and how long that may take.
class Progress {
   public:
    virtual ~Progress() = default;
    virtual void waiting(std::size_t running, std::size_t finished,
                         std::chrono::milliseconds at_most) = 0;
};

using ActivityReader = std::function<Result<scanner::Activity>(const scanner::PidHandle&)>;
using HandleOpener = std::function<Result<scanner::PidHandle>(scanner::Pid)>;

struct ReaperParts {
    ProcessControl& control;
    Verifier& verifier;
    DecisionLog& log;
    Progress& progress;
    ActivityReader activity;  // must be set
    int interrupt = -1;       // readable when the user wants to stop (a signalfd); -1: none
    HandleOpener open = {};   // opens a handle before each second look; not set: Target::handle is
                              // held all the time
};

struct ReaperTimes {
    std::chrono::milliseconds after_kill{5000};  // how long to wait for the kernel after KILL
    std::chrono::milliseconds slice{
        1000};  // by how much grace is extended at a time for a busy database
    std::chrono::milliseconds exiting{
        500};  // how long it may take to die once it has lost its program
    std::chrono::milliseconds retry_delay{
        50};  // how soon to look again for a lock that may just be between two transactions
    // How old a look may be when its signal is sent: to write the decision down can take long.
    std::chrono::milliseconds fresh{10};
};

}  // namespace reaper::agent
