// Output of this program that goes to the journal of systemd, as that of a unit does.
#pragma once

namespace reaper::agent {

inline constexpr const char* kJournalStream = "/run/systemd/journal/stdout";

// Makes stdout and stderr lines of the journal, and sets JOURNAL_STREAM. False: there is no
// journal, or it does not answer; then nothing is changed.
bool write_to_journal(const char* socket_path = kJournalStream);

}  // namespace reaper::agent
