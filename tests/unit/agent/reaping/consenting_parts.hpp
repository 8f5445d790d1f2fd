// Parts that object to nothing, and a control that sends nothing: KILL ends its child by other
// means.
#pragma once

#include "agent/reaping/reaper.hpp"
#include "tests/support/quiet_child.hpp"

namespace reaper::test {

class ObedientControl : public agent::ProcessControl {
   public:
    explicit ObedientControl(QuietChild& child) : child_(child) {}
    Result<agent::Delivery> admit(const scanner::PidHandle&) override {
        return agent::Delivery::sent;
    }
    Result<agent::Delivery> send(const scanner::PidHandle&, agent::Signal signal) override {
        if (signal == agent::Signal::kill) child_.end();
        return agent::Delivery::sent;
    }

   private:
    QuietChild& child_;
};

class Consent : public agent::Verifier, public agent::DecisionLog, public agent::Progress {
   public:
    Result<std::optional<std::string>> objection(const agent::Target&) override {
        return std::nullopt;
    }
    Result<void> about_to_signal(const agent::Target&, agent::Signal) override { return {}; }
    void ended(const agent::Target&, const agent::Outcome&) override {}
    void waiting(std::size_t, std::size_t, std::chrono::milliseconds) override {}
};

// Says of every process that it does nothing.
inline Result<scanner::Activity> idle(const scanner::PidHandle&) {
    return scanner::Activity{};
}

}  // namespace reaper::test
