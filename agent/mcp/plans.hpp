// The plans of sweeps that were handed out, and have neither been used nor grown old. Pure: the
// clock and the random numbers come from the caller.
#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <string>
#include <vector>

#include "agent/mcp/call.hpp"

namespace reaper::agent {

inline constexpr std::chrono::minutes kPlanLife{5};

// 128 bits as 32 digits; empty: the system has none to give.
using RandomText = std::function<std::string()>;

struct SweepPlan {
    std::string id;
    std::string state;  // that was sent with a question, and must come back; empty: none was sent
    PlannedEnds ends;
    Json arguments;  // that it was made with
    std::vector<std::string> question;
    std::string command;  // to the same effect
    std::chrono::steady_clock::time_point dies;
};

class SweepPlans {
   public:
    using Clock = std::chrono::steady_clock;

    explicit SweepPlans(RandomText random) : random_(std::move(random)) {}

    // Keeps what `answer` to `call` plans, for kPlanLife, and the newest few only. Returns its id;
    // empty: nothing is planned, or there are no random numbers.
    [[nodiscard]] std::string keep(const ToolCall& call, const ToolAnswer& answer,
                                   Clock::time_point now);
    // Null: no plan of this id is alive.
    [[nodiscard]] SweepPlan* find(const std::string& id, Clock::time_point now);
    // Gives the plan a new state, which replaces the one before; empty: no random numbers.
    [[nodiscard]] std::string new_state(SweepPlan& plan) const;
    // Takes out a plan that find() has returned: it can be used once.
    [[nodiscard]] SweepPlan take(const SweepPlan& plan);

   private:
    RandomText random_;
    std::list<SweepPlan> plans_;  // oldest first
};

}  // namespace reaper::agent
