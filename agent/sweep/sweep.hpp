// One sweep from its first look to its report: end what leaked, look again, end what that left
// behind.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/cli/options.hpp"
#include "agent/history/writer.hpp"
#include "agent/observe/judged.hpp"
#include "agent/observe/setup.hpp"
#include "agent/report/report.hpp"
#include "agent/sweep/lock.hpp"
#include "agent/sweep/steps.hpp"
#include "agent/system/interrupt.hpp"

namespace reaper::agent {

class Sweep {
   public:
    // All references outlive the sweep. It ends nothing once `interrupt` came, nor while another
    // sweep holds a lock that it needs, nor anybody but `only`, if that is given: those have lost
    // their host before, as a watch has seen.
    Sweep(const scanner::ProcessTable& table, const SweepOptions& options, const Setup& setup,
          const Interrupt& interrupt, SweepLocks& locks, KeepHandles only = std::nullopt);

    // Ends nothing but what is still as `planned` has it. Before run().
    void end_only(PlannedEnds planned) { planned_ = std::move(planned); }

    // Once. Fails only when the machine cannot be looked at at all.
    [[nodiscard]] Result<Report> run();

   private:
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] Result<Judged> look(const KeepHandles& held);
    [[nodiscard]] Result<Judged> look_when_settled(const policy::Plan& plan);
    [[nodiscard]] bool sleep_until(Clock::time_point moment) const;
    [[nodiscard]] Result<void> end_leaks(Judged& seen, int rounds);
    [[nodiscard]] Result<void> look_after(Judged& seen, int rounds);
    [[nodiscard]] bool look_for_respawns(Judged& seen);
    void wait_for_keepalives(Judged& seen);
    void note(const std::vector<Respawn>& respawns);
    [[nodiscard]] std::set<scanner::Pid> tried() const;
    [[nodiscard]] policy::Plan plan_of_new_leaks(const Judged& seen) const;
    [[nodiscard]] Result<bool> keep_what_can_be_held(policy::Plan& plan, Judged& seen);
    void end(std::vector<Target> targets, Look& look);
    void leave_to_keepalives(const std::vector<policy::Judgement>& judgements);
    void leave_to_others(policy::Plan& plan, const scanner::Facts& facts);
    void refuse(const std::vector<policy::Judgement>& steps, const std::string& why,
                std::string remark = {});
    [[nodiscard]] Report conclude_with(const Judged& judged) const;

    const scanner::ProcessTable& table_;
    const SweepOptions& options_;
    const Setup& setup_;
    const Interrupt& interrupt_;
    SweepLocks& locks_;
    Observer observer_;
    CachedHistory past_;            // as it was before this sweep
    std::vector<Respawn> unnoted_;  // since earlier runs, as of the last look
    HistoryWriter history_;
    KeepHandles only_;
    std::optional<PlannedEnds> planned_;  // none: whatever is leaked
    Clock::time_point seen_at_;           // by which the last look had seen all
    Clock::duration look_took_{};
    std::string in_the_way_;        // not empty: another sweep, and nothing is to be ended
    std::set<scanner::Pid> known_;  // to the first look, and not another sweep's to end
    std::vector<Event> before_;     // as find_respawns() has it
    Outcomes outcomes_;
    policy::Counts earlier_;  // that were to end in earlier rounds
    std::vector<std::string> remarks_;
    bool told_of_batches_ = false;
};

}  // namespace reaper::agent
