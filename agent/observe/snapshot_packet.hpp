// Carries a look, and what later reading has found, from the copy that looked to this process
// (bounded_reader.hpp).
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/observe/snapshot.hpp"
#include "agent/reading/bounded_reader.hpp"

namespace reaper::agent {

// Sends the look and its handles. Runs in the copy.
void answer_with(const Result<Look>& look, ReaderLine& line);
// Receives the look. Runs in this process. `rules`: without what users protect, which comes with
// the look.
[[nodiscard]] Result<Look> look_of(Reply reply, const policy::Rules& rules);

// What the second look has changed in facts. Lists that have not changed are not sent.
struct FactsChanges {
    scanner::Machine machine;
    std::vector<scanner::Pid> candidates;     // all of them
    std::vector<scanner::ProcessFacts> read;  // those of them that were read again, or are new
    std::optional<std::vector<scanner::ProcessRow>> relatives;
    std::optional<std::vector<scanner::Pid>> unread;
    std::optional<std::vector<scanner::Pid>> wrappers;
    std::optional<std::vector<scanner::Pid>> plain_wrappers;
    std::optional<std::vector<scanner::Claim>> claims;
    std::optional<std::vector<scanner::ClaimMark>> claim_marks;
    std::optional<std::vector<scanner::ProcessFacts>> descendants;
    std::optional<std::vector<scanner::Pid>> unseen_below;
    bool managers_hang = false;
    std::optional<scanner::Pid> lost;  // relied on, and gone or unreadable
};

// The lists of facts as they were, to compare them with what later reading makes of them.
class FactsBefore {
   public:
    explicit FactsBefore(const scanner::Facts& facts);
    // `read`: the processes that were read since.
    [[nodiscard]] FactsChanges changes_to(const scanner::Facts& now,
                                          const std::set<scanner::Pid>& read) const;

   private:
    std::vector<std::string> lists_;
};
void apply(FactsChanges changes, scanner::Facts& facts);

template <>
struct MembersOf<FactsChanges> {
    static auto tie(Is<FactsChanges> auto& it) {
        auto& [machine, candidates, read, relatives, unread, wrappers, plain_wrappers, claims,
               claim_marks, descendants, unseen_below, managers_hang, lost] = it;
        return std::tie(machine, candidates, read, relatives, unread, wrappers, plain_wrappers,
                        claims, claim_marks, descendants, unseen_below, managers_hang, lost);
    }
};

}  // namespace reaper::agent
