// What was done, written down before it is done: one line before each signal, one after each end. JSON lines, only ever appended.
#pragma once

#include <string>

#include "agent/options.hpp"
#include "agent/reaper.hpp"
#include "scanner/fd.hpp"

namespace reaper::agent {

enum class HistoryUse {
    keep,  // a signal that can be written down nowhere is not sent
    none,  // --no-history
};

// Lines go to history.jsonl in $XDG_STATE_HOME/orphan-reaper (root: /var/lib/orphan-reaper), mode 0600, and are on the disk before
// the signal is sent. Where that fails, and always when nobody watches on a terminal, they go to stderr, which a timer's journal keeps.
class History : public DecisionLog {
   public:
    History(HistoryUse use, const Options& options);

    [[nodiscard]] Result<void> about_to_signal(const Target& target, Signal signal) override;
    void ended(const Target& target, const Outcome& outcome) override;

    // Not empty: the file cannot be written, and why.
    [[nodiscard]] const std::string& complaint() const { return complaint_; }

   private:
    [[nodiscard]] bool write(const std::string& line);

    HistoryUse use_;
    bool tell_stderr_;
    Fd file_;
    std::string complaint_;
};

// Where this user's history is kept. Empty: neither XDG_STATE_HOME nor HOME says where.
[[nodiscard]] std::string history_folder();

}  // namespace reaper::agent
