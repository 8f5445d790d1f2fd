// Writes down what is about to be done: one line before TERM and KILL (CONT belongs to TERM), one
// after each end; one before and one after the removal of a file. JSON lines, only ever appended.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/history/file.hpp"
#include "agent/history/history.hpp"
#include "agent/reaping/reaper.hpp"
#include "agent/reaping/removal.hpp"
#include "policy/pid_files/judge_files.hpp"
#include "scanner/claim_files.hpp"
#include "scanner/model/process.hpp"

namespace reaper::agent {

enum class HistoryUse {
    keep,  // a signal that can be written down nowhere is not sent
    none,  // --no-history
};

// Where decisions are echoed besides the file.
struct HistoryEcho {
    int fd = -1;          // stderr, which a timer's journal keeps
    bool always = false;  // also when the file was written
    bool waits = true;    // for a slow reader
};

// Lines go to the history file in `folder`, and are on the disk before the signal is sent. When
// that fails, they must be echoed; when that fails too, the signal is refused.
class HistoryWriter : public DecisionLog {
   public:
    // `from`: what asked for it, which the lines about processes name; empty: not said.
    HistoryWriter(HistoryUse use, const std::string& folder, HistoryEcho echo,
                  std::string from = {});

    [[nodiscard]] Result<void> about_to_signal(const Target& target, Signal signal) override;
    void ended(const Target& target, const Outcome& outcome) override;

    // Writes that the same helper was started again.
    void respawned(const Respawn& respawn);

    // The same for a file: before its removal, and after it.
    [[nodiscard]] Result<void> about_to_remove(const scanner::ClaimFile& file,
                                               const policy::FileJudgement& judgement);
    void removed(const scanner::ClaimFile& file, const Removal& removal);

    // Says why the file cannot be written; empty: it can.
    [[nodiscard]] const std::string& complaint() const { return complaint_; }

   private:
    [[nodiscard]] bool write(const std::string& line);
    [[nodiscard]] Result<void> append(const std::string& line);
    [[nodiscard]] bool echo(const std::string& words);
    // Writes a line, or else echoes it, or else fails.
    [[nodiscard]] Result<void> announce(const std::string& subject, const std::string& line,
                                        const std::string& words);
    // The same afterwards, when nothing depends on it any more. Does nothing for a subject that was
    // not announced: that has not happened.
    void conclude(const std::string& subject, const std::string& line, const std::string& words);

    HistoryUse use_;
    HistoryEcho echo_;
    Program by_ = this_program();
    std::string from_;
    std::string folder_;
    std::optional<HistoryFile> file_;  // root's, which no user can make hang
    bool is_open_ = false;
    std::set<std::string> announced_;  // identities and paths
    std::string complaint_;
};

}  // namespace reaper::agent
