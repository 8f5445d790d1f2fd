// One look at the machine: scan, match and inspect, with a handle for every candidate that was opened before its facts were read.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "policy/judge.hpp"
#include "policy/rules.hpp"
#include "scanner/facts.hpp"
#include "scanner/inspector.hpp"
#include "scanner/pid_handle.hpp"
#include "scanner/process_table.hpp"
#include "scanner/result.hpp"

namespace reaper::agent {

using Held = std::optional<std::set<scanner::Pid>>;
inline Held nobody() {
    return std::set<scanner::Pid>{};
}

struct Look {
    scanner::Facts facts;
    std::map<scanner::Pid, scanner::PidHandle> handles;  // of the candidates, or of those that were asked for
    policy::Rules rules;  // by which they are to be judged: the lookout's, and what their users protect
};

class Lookout {
   public:
    // `uid`: whose processes; none: everybody's. All references outlive the lookout; `witness` is for tests.
    Lookout(const scanner::Procfs& procfs, const policy::Rules& rules, std::optional<scanner::Uid> uid,
            scanner::InspectionWitness* witness = nullptr)
        : procfs_(procfs), rules_(rules), uid_(uid), witness_(witness) {}

    // Fails only when the machine or the table itself cannot be read; what is wrong with single processes is in the facts. `held`: whose
    // handles are kept when their facts have been read; none: everybody's.
    [[nodiscard]] Result<Look> look(const Held& held = std::nullopt) const;

    // Reads one candidate again through a handle that was opened earlier, and with it the clock, its parent and the files that
    // speak of it. no_such_process: it has exited, or is no member of a family any more.
    [[nodiscard]] Result<void> refresh(scanner::Facts& facts, const scanner::PidHandle& handle) const;

    // Who holds the stdin of those that were judged `held`. True: something was found, judge again.
    [[nodiscard]] bool find_holders(scanner::Facts& facts, const std::vector<policy::Judgement>& judgements) const;

   private:
    const scanner::Procfs& procfs_;
    const policy::Rules& rules_;
    std::optional<scanner::Uid> uid_;
    scanner::InspectionWitness* witness_;
};

}  // namespace reaper::agent
