// The door of a dry run: it refuses whom the real one refuses, and opens for nobody.
#include "agent/process_control.hpp"
#include "agent/signal_guard.hpp"

namespace reaper::agent {

namespace {

class DryRunControl final : public ProcessControl {
   public:
    Result<Delivery> send(const scanner::PidHandle& target, Signal) override {
        if (auto admitted = guard_.admit(target.pid()); !admitted) return tl::unexpected(admitted.error());
        return Delivery::withheld;
    }

   private:
    SignalGuard guard_ = make_signal_guard();
};

}  // namespace

std::unique_ptr<ProcessControl> make_dry_run_control() {
    return std::make_unique<DryRunControl>();
}

}  // namespace reaper::agent
