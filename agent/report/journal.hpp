// The journal of systemd, where stderr goes there.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

// One entry: fields and their values, which may be any bytes.
using JournalEntry = std::vector<std::pair<std::string, std::string>>;

// What a sweep did to a process, or that it left it although it is leaked: with the line that
// people read, and a MESSAGE_ID by what happened (packaging/systemd/orphan-reaper.catalog).
[[nodiscard]] JournalEntry journal_entry(const Report& report, const ReportedProcess& process);

// The form of the native protocol of the journal.
[[nodiscard]] std::string journal_datagram(const JournalEntry& entry);

inline constexpr const char* kJournalSocket = "/run/systemd/journal/socket";

// Sends entries to the journal, and waits up to a second until it has read them. What the journal
// does not take within a second goes to stderr, one line each, with all that follows it.
void send_to_journal(const std::vector<JournalEntry>& entries,
                     const char* socket_path = kJournalSocket);

// Sends an entry for each process that a sweep has ended, kept from ending or failed to end, and
// for each leak that it left. For the journal of a unit, where the report is not printed. Sends
// nothing when nothing leaked.
void tell_journal(const Report& report);

}  // namespace reaper::agent
