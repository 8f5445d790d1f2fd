// What the proc connector tells: one message of the kernel's, taken apart. Pure; linux/proc_connector.hpp receives them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "scanner/identity.hpp"

namespace reaper::scanner {

enum class ProcEventKind { answer, executed, exited, other };

// A hint and no more: by the time it is read, the pid can be somebody else's.
struct ProcEvent {
    ProcEventKind kind = ProcEventKind::other;
    Pid pid = 0;           // the process, not the thread
    bool thread = false;   // only a thread of it
    unsigned error = 0;    // of an answer: the errno
    unsigned answers = 0;  // of an answer: one more than the `ack` of the question

    bool operator==(const ProcEvent&) const = default;
};

// All events of one datagram. What is cut short or of an unknown form yields nothing.
[[nodiscard]] std::vector<ProcEvent> parse_proc_events(std::span<const std::byte> datagram);

}  // namespace reaper::scanner
