// The end of one process, of a plan or of the tree of a `run`: planned -> (awaiting ->) terminating
// -> killing -> finished. Each step is taken when the caller says so; nothing here waits.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "agent/reaping/grace.hpp"
#include "agent/reaping/parts.hpp"

namespace reaper::agent {

class ReaperTarget;

// What a launcher waits for, as it is at one moment.
struct Awaited {
    bool running = false;
    const ReaperTarget* stays = nullptr;  // one that was left alone, though it has not exited
};

class ReaperTarget {
   public:
    using Clock = std::chrono::steady_clock;

    // `parts` and `times` outlive this.
    ReaperTarget(Target target, const ReaperParts& parts, const ReaperTimes& times);

    // Takes the second look. Finishes the target when it has exited or must not be signalled;
    // otherwise it stays planned.
    void verify();
    // Sends TERM, then CONT. Only for a target that was verified just now.
    void terminate();
    // For a launcher, instead of terminate(): waits for what it started, because it ends with that.
    // `others` is asked at each advance(). Sends TERM only when the launcher still runs some time
    // after none of them does, and nothing when one of them stays.
    void await(std::function<Awaited()> others);
    // Finishes a target that was not signalled, for a reason outside of it. Does nothing once it
    // was signalled.
    void withdraw(OutcomeResult result, std::string why);
    // Sets the grace of a target that got TERM, where that is not as its step has it.
    void set_grace(Clock::time_point deadline, Clock::time_point cap);
    // Samples the activity at the begin of the grace, with which later samples are compared.
    void sample_at_term();
    // Ends the grace of a target that is planned or doubted: the next advance() verifies it, and
    // sends KILL. For one that would pass TERM on, and for a caller whose objections can be a race.
    void expire();

    // Takes the next step when the target has exited or its deadline has come.
    void advance(Clock::time_point now);
    // Closes what ReaperParts::open has opened.
    void release();
    // Finishes the target without further signals.
    void stop(const std::string& why);

    [[nodiscard]] bool planned() const { return phase_ == Phase::planned; }
    // True after an objection: it gets no further signal, only the time in which it may turn out to
    // be exiting.
    [[nodiscard]] bool doubted() const { return phase_ == Phase::doubted; }
    // True for a launcher that has got no TERM yet.
    [[nodiscard]] bool awaiting() const { return phase_ == Phase::awaiting; }
    // True from TERM on, while it has its grace.
    [[nodiscard]] bool terminating() const { return phase_ == Phase::terminating; }
    // True while its grace is extended.
    [[nodiscard]] bool extended() const { return extended_; }
    [[nodiscard]] bool running() const {
        return phase_ != Phase::planned && phase_ != Phase::finished;
    }
    [[nodiscard]] Clock::time_point deadline() const { return deadline_; }
    // The latest end, unless a busy database extends the grace.
    [[nodiscard]] Clock::time_point over_at() const;
    [[nodiscard]] const Target& target() const { return target_; }
    [[nodiscard]] const Outcome& outcome() const { return outcome_; }
    // Returns the outcome with the wait status, which the kernel may tell only after the parent's
    // wait(2).
    [[nodiscard]] Outcome final_outcome() const;

   private:
    enum class Phase { planned, awaiting, terminating, doubted, killing, finished };

    // These finish or doubt the target when they return false or nothing.
    [[nodiscard]] Result<std::optional<std::string>> look_again();
    [[nodiscard]] bool may_be_signalled();
    [[nodiscard]] bool is_still_proven();
    [[nodiscard]] std::optional<Delivery> ask_control();
    [[nodiscard]] bool send(Signal signal);
    void resume();
    void advance_awaiting(Clock::time_point now);
    void kill();
    void object(std::string why);
    [[nodiscard]] bool may_extend_grace(Clock::time_point now);
    void give_up();
    void finish_gone();
    void finish_undelivered(const Error& error);
    void finish(OutcomeResult result, std::string detail = {});

    Target target_;
    const ReaperParts* parts_;
    const ReaperTimes* times_;
    Phase phase_ = Phase::planned;
    Clock::time_point looked_at_;
    Clock::time_point term_at_;
    Clock::time_point deadline_;
    Clock::time_point cap_;  // of all extensions of the grace
    bool extended_ = false;
    std::function<Awaited()> others_;
    GraceExtension extension_;
    Outcome outcome_;
};

}  // namespace reaper::agent
