// What was done, written down before it is done: one line before TERM and KILL (CONT belongs to TERM), one after each end; one before
// and one after the removal of a file. JSON lines, only ever appended.
#pragma once

#include <string>

#include "agent/reaper.hpp"
#include "agent/removal.hpp"
#include "policy/pid_files.hpp"
#include "scanner/claim_files.hpp"
#include "scanner/fd.hpp"

namespace reaper::agent {

enum class HistoryUse {
    keep,  // a signal that can be written down nowhere is not sent
    none,  // --no-history
};

// Where decisions are told besides the file.
struct HistoryVoice {
    int fd = -1;          // stderr, which a timer's journal keeps
    bool always = false;  // also when the file was written
};

// Lines go to history.jsonl in `folder`, mode 0600, and are on the disk before the signal is sent. Where that fails they have to be
// told; a signal of which neither can be done is refused.
class History : public DecisionLog {
   public:
    History(HistoryUse use, const std::string& folder, HistoryVoice voice);

    [[nodiscard]] Result<void> about_to_signal(const Target& target, Signal signal) override;
    void ended(const Target& target, const Outcome& outcome) override;

    // Like the two above.
    [[nodiscard]] Result<void> about_to_remove(const scanner::ClaimFile& file, const policy::FileJudgement& judgement);
    void removed(const scanner::ClaimFile& file, const Removal& removal);

    // Not empty: the file cannot be written, and why.
    [[nodiscard]] const std::string& complaint() const { return complaint_; }

   private:
    [[nodiscard]] bool write(const std::string& line);
    // Written down, or else told, or else an error.
    [[nodiscard]] Result<void> announce(const std::string& line, const std::string& words);

    HistoryUse use_;
    HistoryVoice voice_;
    Fd file_;
    std::string complaint_;
};

// Where this user's history is kept: $XDG_STATE_HOME/orphan-reaper, or ~/.local/state/orphan-reaper; root's is
// /var/lib/orphan-reaper. Empty: neither variable says where.
[[nodiscard]] std::string history_folder();

}  // namespace reaper::agent
