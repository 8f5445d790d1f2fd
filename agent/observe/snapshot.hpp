// One look at the machine: scan, match and inspect. The handle of every candidate is opened before
// its facts are read.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "policy/match/member.hpp"
#include "policy/rules/rules.hpp"
#include "policy/verdict/judge.hpp"
#include "scanner/inspector.hpp"
#include "scanner/model/facts.hpp"
#include "scanner/model/result.hpp"
#include "scanner/pid_handle.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

using KeepHandles = std::optional<std::set<scanner::Pid>>;
inline KeepHandles no_handles() {
    return std::set<scanner::Pid>{};
}

struct Look {
    scanner::Facts facts;
    std::map<scanner::Pid, scanner::PidHandle>
        handles;  // of the candidates, or of those that were asked for
    std::size_t room =
        0;  // for so many handles more, when the look began: few files may be open. It kept no more
    std::string trouble;         // not empty: files could not be opened, as there were too many
    bool managers_hang = false;  // the managers of services
    // By which they are judged: those of the observer, and what other users protect.
    policy::Rules rules;
    policy::PastEnds past_ends;  // none before apply_respawn_history()
};

class Observer {
   public:
    // `uid`: the user whose processes are looked at; none: all users. All references outlive the
    // observer; `witness` is for tests.
    Observer(const scanner::ProcessTable& table, const policy::Rules& rules,
             std::optional<scanner::Uid> uid, scanner::InspectionObserver* witness = nullptr)
        : table_(table), rules_(rules), uid_(uid), witness_(witness) {}

    // Looks at the machine. Fails only when the machine or the process table cannot be read, or an
    // interrupt comes while something does not answer; what is wrong with single processes is in
    // the facts. `held`: the processes whose handles are kept, as far as there is room; none: all.
    // `settings`: by which the look will be judged, so that the context of what they could end is
    // read as well; null: it is not.
    [[nodiscard]] Result<Look> look(const KeepHandles& held = std::nullopt,
                                    const policy::Settings* settings = nullptr) const;

    // Reads a candidate again through its handle, with the clock, its parent and recorded owners,
    // all processes below it, the candidates that it relies on, and all files that may name any of
    // these. Returns the one relied on that is gone or unreadable, or has no handle in the look;
    // the facts may then be half as they were. no_such_process: the candidate has exited, or is no
    // member of a family.
    [[nodiscard]] Result<std::optional<scanner::Pid>> refresh(
        Look& look, const scanner::PidHandle& target, const std::vector<scanner::Pid>& relied_on,
        policy::MatchMemory& memory) const;

    // Asks the service managers about all that are in services.
    void ask_managers(scanner::Facts& facts) const;

   private:
    void ask(std::span<scanner::ProcessFacts* const> processes) const;
    [[nodiscard]] Result<Look> look_in_place(const KeepHandles& held, std::size_t room,
                                             const policy::Settings* settings) const;
    // Reads what is only read of processes that may be leaked.
    void read_context(Look& look, const policy::Settings& settings) const;
    // Reads the processes below these candidates.
    void look_below(scanner::Facts& facts, const std::set<scanner::Pid>& pids) const;

    // Finds the processes that hold the stdin of these candidates. Reads every process, unless none
    // of these has a stdin that is held.
    void find_holders(scanner::Facts& facts, const std::set<scanner::Pid>& pids) const;

    // Asks the service managers about these candidates, and about the others in the same services.
    void ask_managers(scanner::Facts& facts, const std::set<scanner::Pid>& pids) const;
    [[nodiscard]] Result<std::optional<scanner::Pid>> refresh_in_place(
        scanner::Facts& facts, const scanner::PidHandle& target,
        const std::vector<const scanner::PidHandle*>& relied_on, policy::MatchMemory& memory,
        std::set<scanner::Pid>& read) const;
    [[nodiscard]] Result<void> read_again(scanner::Facts& facts, scanner::Inspector& inspector,
                                          const scanner::PidHandle& handle) const;
    [[nodiscard]] bool managers_hang() const;
    void expect_managers_to_hang() const;

    const scanner::ProcessTable& table_;
    const policy::Rules& rules_;
    std::optional<scanner::Uid> uid_;
    scanner::InspectionObserver* witness_;
    mutable std::chrono::steady_clock::time_point
        managers_hang_until_{};  // one that hangs is not waited for again and again
};

}  // namespace reaper::agent
