// A candidate that a family matched, with what follows from its own facts alone. Between match and judgement; not seen
// outside.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "policy/evidence.hpp"
#include "policy/match.hpp"
#include "policy/parentage.hpp"
#include "scanner/facts.hpp"

namespace reaper::policy {

struct Member {
    const scanner::ProcessFacts* facts = nullptr;
    Match match;
    std::string home;                      // empty: could not be told
    Parentage parentage;                   // of its unit: a bridge started by a launcher has the launcher's parent
    std::optional<scanner::Pid> launcher;  // the member that started it as its other half
    std::vector<Evidence> evidence;

    [[nodiscard]] scanner::Pid pid() const { return facts->identity.pid; }
    [[nodiscard]] const FamilyRule& rule() const { return *match.rule; }

    void add(Weight weight, std::string code, std::string detail) {
        evidence.push_back({std::move(code), weight, std::move(detail)});
    }
};

// All members among the candidates, by pid, with homes, parents and launchers told.
[[nodiscard]] std::vector<Member> find_members(const scanner::Facts& facts, const Rules& rules);

// It is recognised only to be explained: a gateway, a user's own session.
[[nodiscard]] bool is_never_ended(const Member& member);

[[nodiscard]] std::chrono::milliseconds age_of(const scanner::ProcessFacts& process, const scanner::Machine& machine);

// The value of an environment variable, if the environment could be read and has it.
[[nodiscard]] std::optional<std::string> variable(const scanner::ProcessFacts& process, const std::string& name);

}  // namespace reaper::policy
