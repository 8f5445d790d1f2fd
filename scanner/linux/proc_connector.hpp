// Hints of what the kernel sees happen to processes: who executes a program, who exits. The pids are those of the first pid namespace,
// so it can only be had there.
#pragma once

#include <vector>

#include "scanner/fd.hpp"
#include "scanner/proc_event.hpp"
#include "scanner/result.hpp"

namespace reaper::scanner {

class ProcConnector {
   public:
    // operation_not_permitted: that takes CAP_NET_ADMIN. timed_out: the kernel did not answer, as it never does in a pid or user
    // namespace of one's own.
    [[nodiscard]] static Result<ProcConnector> open();

    // For poll(2).
    [[nodiscard]] int raw() const { return socket_.get(); }

    struct Hints {
        std::vector<ProcEvent> events;  // executed and exited, of whole processes
        bool lost = false;              // there were more than the kernel could keep: look for yourself
    };
    // All that has come; never blocks.
    [[nodiscard]] Hints take() const;

   private:
    explicit ProcConnector(Fd socket) : socket_(std::move(socket)) {}

    Fd socket_;
};

}  // namespace reaper::scanner
