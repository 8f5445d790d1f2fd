// Reads the processes below others: only below those that are to be ended, so that a look costs
// nothing where nothing leaks.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "policy/rules/rules.hpp"
#include "scanner/inspector.hpp"
#include "scanner/model/facts.hpp"
#include "scanner/model/result.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

// Keeps what it reads in `facts`: members among the candidates, others among the descendants. What
// it could not read at all may be anything; then the pid above it goes to `unseen_below`.
class DescendantReader {
   public:
    DescendantReader(const scanner::ProcessTable& table, const policy::Rules& rules,
                     scanner::Facts& facts, scanner::InspectionObserver* witness)
        : table_(table), rules_(rules), facts_(facts), witness_(witness) {}

    // Reads the processes below `pid` that the facts do not know yet. A member among them came
    // after the walk, and is kept as a descendant.
    void read_new(scanner::Pid pid);

    // Reads all processes below `pid` again, also those that were below it when they were last
    // read.
    void read_again(scanner::Pid pid);

    // Returns what was read, or found to be gone.
    [[nodiscard]] const std::set<scanner::Pid>& pids() const { return read_; }

    // Returns the processes whose service manager has still to be asked. They point into the facts.
    [[nodiscard]] std::vector<scanner::ProcessFacts*> unasked();

   private:
    [[nodiscard]] std::set<scanner::Pid> list(scanner::Pid pid);
    [[nodiscard]] std::set<scanner::Pid> known_below(scanner::Pid pid) const;
    [[nodiscard]] bool take(scanner::Pid pid);
    [[nodiscard]] bool take_row(scanner::Pid pid, const Error& error);
    [[nodiscard]] bool forget_or_fail(scanner::Pid pid, const Error& error);
    [[nodiscard]] bool is_member(const scanner::ProcessFacts& facts) const;
    void file(scanner::ProcessFacts facts);

    const scanner::ProcessTable& table_;
    const policy::Rules& rules_;
    scanner::Facts& facts_;
    scanner::InspectionObserver* witness_;
    std::optional<scanner::Inspector> inspector_;  // made when it is needed first
    std::set<scanner::Pid> read_;
    bool adds_members_ = true;
};

}  // namespace reaper::agent
