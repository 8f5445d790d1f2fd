// What was done, written down before it is done: one line before TERM and KILL (CONT belongs to TERM), one after each end; one before
// and one after the removal of a file. JSON lines, only ever appended.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/history.hpp"
#include "agent/history_file.hpp"
#include "agent/reaper.hpp"
#include "agent/removal.hpp"
#include "policy/pid_files.hpp"
#include "scanner/claim_files.hpp"
#include "scanner/process.hpp"

namespace reaper::agent {

enum class HistoryUse {
    keep,  // a signal that can be written down nowhere is not sent
    none,  // --no-history
};

// Where decisions are told besides the file.
struct HistoryVoice {
    int fd = -1;          // stderr, which a timer's journal keeps
    bool always = false;  // also when the file was written
    bool waits = true;    // for a reader who is slow
};

// Lines go to the history file in `folder`, and are on the disk before the signal is sent. Where that fails they have to be told; a
// signal of which neither can be done is refused.
class HistoryWriter : public DecisionLog {
   public:
    HistoryWriter(HistoryUse use, const std::string& folder, HistoryVoice voice);

    [[nodiscard]] Result<void> about_to_signal(const Target& target, Signal signal) override;
    void ended(const Target& target, const Outcome& outcome) override;

    // The same helper is there again.
    void respawned(const Respawn& respawn);

    // Like the first two.
    [[nodiscard]] Result<void> about_to_remove(const scanner::ClaimFile& file, const policy::FileJudgement& judgement);
    void removed(const scanner::ClaimFile& file, const Removal& removal);

    // Not empty: the file cannot be written, and why.
    [[nodiscard]] const std::string& complaint() const { return complaint_; }

   private:
    [[nodiscard]] bool write(const std::string& line);
    // Written down, or else told, or else an error.
    [[nodiscard]] Result<void> announce(const std::string& subject, const std::string& line, const std::string& words);
    // The same afterwards, when nothing depends on it any more. What was not announced has not happened.
    void conclude(const std::string& subject, const std::string& line, const std::string& words);

    HistoryUse use_;
    HistoryVoice voice_;
    Program by_ = this_program();
    std::optional<HistoryFile> file_;
    std::set<std::string> announced_;  // identities and paths
    std::string complaint_;
};

}  // namespace reaper::agent
