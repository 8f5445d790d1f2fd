// The journal of systemd, where stderr goes there.
#pragma once

#include <chrono>
#include <string_view>

#include "agent/report/report.hpp"

namespace reaper::agent {

enum class Urgency { information, warning };

// True if stderr is the stream that JOURNAL_STREAM names; a process that inherits the variable may
// have another stderr.
[[nodiscard]] bool stderr_is_journal();

// "<6>" or "<4>", which the journal takes off and files the line by. Empty: stderr goes elsewhere.
[[nodiscard]] std::string_view mark_of(Urgency urgency);

// Waits until the other end has read all that was written to this socket. False: it has not in that
// time. True also if that cannot be told.
bool wait_until_read(int stream, std::chrono::milliseconds longest);

// Writes a line for each process that a sweep has ended, kept from ending or failed to end, and
// for each leak that it left. For the journal of a unit, where the report is not printed. Empty
// when nothing leaked.
void tell_journal(const Report& report);

}  // namespace reaper::agent
