// One target on its way: planned -> terminating -> killing -> finished. Each step is taken when the loop in reaper.cpp
// says so; nothing here waits.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "agent/patience.hpp"
#include "agent/reaper.hpp"

namespace reaper::agent {

class ReaperTarget {
   public:
    using Clock = std::chrono::steady_clock;

    // All three outlive this.
    ReaperTarget(const Target& target, const ReaperParts& parts, const ReaperTimes& times);

    // The second look. Finishes it when it is gone or must not be signalled; otherwise it stays planned.
    void verify();
    // TERM, then CONT, for one that was verified just now.
    void terminate();
    // Not signalled and not to be: for a reason outside this target. Does nothing once it was signalled.
    void withdraw(OutcomeResult result, std::string why);
    // What it is like as its grace begins; what it does at the end of it is compared with that.
    void sample_at_term();

    // It may have exited, or its deadline may have come.
    void advance(Clock::time_point now);
    // No further signals: says what is known of it.
    void stop(const std::string& why);

    [[nodiscard]] bool planned() const { return phase_ == Phase::planned; }
    // Objected to: it gets no further signal, and the time to turn out to be just exiting.
    [[nodiscard]] bool doubted() const { return phase_ == Phase::doubted; }
    [[nodiscard]] bool running() const { return phase_ != Phase::planned && phase_ != Phase::finished; }
    [[nodiscard]] Clock::time_point deadline() const { return deadline_; }
    // When it will be over whatever it does, unless a busy database extends its grace.
    [[nodiscard]] Clock::time_point over_at() const;
    [[nodiscard]] const Target& target() const { return *target_; }
    [[nodiscard]] const Outcome& outcome() const { return outcome_; }
    // The outcome with how it died, where only its parent's wait(2), after it had finished here, let the kernel tell.
    [[nodiscard]] Outcome final_outcome() const;

   private:
    enum class Phase { planned, terminating, doubted, killing, finished };

    // All finish the target when the answer is no, or doubt it.
    [[nodiscard]] bool may_be_signalled();
    [[nodiscard]] std::optional<Delivery> ask_the_door();
    [[nodiscard]] bool send(Signal signal);
    void resume();
    void kill();
    void object(std::string why);
    [[nodiscard]] bool deserves_patience(Clock::time_point now);
    void give_up();
    void finish_gone();
    void finish_undelivered(const Error& error);
    void finish(OutcomeResult result, std::string detail = {});
    [[nodiscard]] Clock::time_point cap() const;

    const Target* target_;
    const ReaperParts* parts_;
    const ReaperTimes* times_;
    Phase phase_ = Phase::planned;
    Clock::time_point term_at_;
    Clock::time_point deadline_;
    Patience patience_;
    Outcome outcome_;
};

// Sleeps in poll(2), and advances them, until all have finished. Not empty: why nobody can be waited for any more.
[[nodiscard]] std::string wait_for_all(std::vector<ReaperTarget>& targets, const ReaperParts& parts);

}  // namespace reaper::agent
