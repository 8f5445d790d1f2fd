// Parses messages of the proc connector. Pure; linux/proc_connector.hpp receives them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "scanner/model/identity.hpp"

namespace reaper::scanner {

enum class ProcEventKind { answer, executed, exited, other };

// A hint and no more: by the time it is read, another process may have the pid.
struct ProcEvent {
    ProcEventKind kind = ProcEventKind::other;
    Pid pid = 0;           // the process, not the thread
    bool thread = false;   // only a thread of the process
    unsigned error = 0;    // of an answer: its errno
    unsigned answers = 0;  // of an answer: one more than the `ack` of the question

    bool operator==(const ProcEvent&) const = default;
};

// Returns all events of one datagram. Skips what is cut short or of an unknown form.
[[nodiscard]] std::vector<ProcEvent> parse_proc_events(std::span<const std::byte> datagram);

}  // namespace reaper::scanner
