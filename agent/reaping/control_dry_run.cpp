// The process control of a dry run: refuses the targets that the real one refuses, and signals
// none.
#include "agent/reaping/process_control.hpp"
#include "agent/reaping/signal_guard.hpp"

namespace reaper::agent {

namespace {

class DryRunControl final : public ProcessControl {
   public:
    Result<Delivery> admit(const scanner::PidHandle& target) override {
        return guard_.admit(target.pid()).map([] { return Delivery::withheld; });
    }
    Result<Delivery> send(const scanner::PidHandle& target, Signal) override {
        return admit(target);
    }

   private:
    SignalGuard guard_ = make_signal_guard();
};

}  // namespace

std::unique_ptr<ProcessControl> make_dry_run_control() {
    return std::make_unique<DryRunControl>();
}

}  // namespace reaper::agent
