// One sweep from its first look to its report: end what leaked, look again, end what that left behind.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/commands.hpp"
#include "agent/history_writer.hpp"
#include "agent/interrupt.hpp"
#include "agent/sweep_lock.hpp"
#include "agent/sweep_steps.hpp"

namespace reaper::agent {

class Sweep {
   public:
    // All references outlive the sweep. It ends nothing once `interrupt` came, nor while another sweep holds a lock that it needs,
    // nor anybody but `only`, if that is given: those have lost their host before, as a watch has seen.
    Sweep(const scanner::Procfs& procfs, const Options& options, const Setup& setup, const Interrupt& interrupt,
          SweepLocks& locks, Held only = std::nullopt);

    // Once. Fails only when the machine cannot be looked at at all.
    [[nodiscard]] Result<Report> run();

   private:
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] Result<Judged> look(const Held& held);
    [[nodiscard]] Result<Judged> look_when_settled(const policy::Plan& plan);
    [[nodiscard]] bool sleep_until(Clock::time_point moment) const;
    [[nodiscard]] Result<void> end_leaks(Judged& seen, int rounds);
    [[nodiscard]] Result<void> look_after(Judged& seen, int rounds);
    [[nodiscard]] bool see_who_came(Judged& seen);
    void wait_for_keepalives(Judged& seen);
    void note(const std::vector<Respawn>& respawns);
    [[nodiscard]] std::set<scanner::Pid> tried() const;
    [[nodiscard]] policy::Plan plan_of_new_leaks(std::vector<policy::Judgement> judgements) const;
    void end(const std::vector<Target>& targets, Look& look);
    void leave_to_keepalives(const std::vector<policy::Judgement>& judgements);
    void leave_to_others(policy::Plan& plan, const scanner::Facts& facts);
    Result<void> refuse(const policy::Plan& plan, const std::string& why, std::string remark = {});
    [[nodiscard]] Report conclude_with(const Judged& judged) const;

    const scanner::Procfs& procfs_;
    const Options& options_;
    const Setup& setup_;
    const Interrupt& interrupt_;
    SweepLocks& locks_;
    Lookout lookout_;
    Past past_;  // as it was before this sweep
    HistoryWriter history_;
    Held only_;
    Clock::time_point seen_at_;  // by which the last look had seen everybody
    Clock::duration look_took_{};
    std::string in_the_way_;        // not empty: another sweep, and nothing is to be ended
    std::set<scanner::Pid> known_;  // to the first look, and not somebody else's to end
    std::vector<Event> before_;     // as find_respawns() has it
    Outcomes outcomes_;
    std::vector<std::string> remarks_;
};

}  // namespace reaper::agent
