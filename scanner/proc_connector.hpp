// Receives hints from the kernel about processes that execute a program or exit. The pids are those
// of the first pid namespace, so it works only there.
#pragma once

#include <vector>

#include "scanner/fd.hpp"
#include "scanner/model/result.hpp"
#include "scanner/parse/proc_event.hpp"

namespace reaper::scanner {

class ProcConnector {
   public:
    // Starts to listen. operation_not_permitted: CAP_NET_ADMIN is missing. timed_out: the kernel
    // did not answer, as it never does in another pid or user namespace.
    [[nodiscard]] static Result<ProcConnector> open();

    // For poll(2).
    [[nodiscard]] int raw() const { return socket_.get(); }

    struct Hints {
        std::vector<ProcEvent> events;  // executed and exited, of whole processes
        bool lost = false;  // there were more than the kernel could keep: read the table instead
    };
    // Returns all hints that have arrived; never blocks.
    [[nodiscard]] Hints take() const;

   private:
    explicit ProcConnector(Fd socket) : socket_(std::move(socket)) {}

    Fd socket_;
};

}  // namespace reaper::scanner
