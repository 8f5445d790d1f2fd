// A candidate that a family matched, with what follows from its own facts. Used between match and
// judgement, never outside.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "policy/match/match.hpp"
#include "policy/match/parentage.hpp"
#include "policy/rules/evidence.hpp"
#include "scanner/model/facts.hpp"

namespace reaper::policy {

struct Member {
    const scanner::ProcessFacts* facts = nullptr;
    Match match;
    std::string home;  // empty: not known
    // The process of its unit that the host started: its launcher, or itself.
    const scanner::ProcessRow* eldest = nullptr;
    Parentage parentage;                             // of the eldest
    std::optional<scanner::Pid> launcher;            // the member that started it as its other half
    std::vector<const scanner::ProcessFacts*> runs;  // the other halves of a launcher
    std::vector<Evidence> evidence;

    [[nodiscard]] scanner::Pid pid() const { return facts->identity.pid; }
    [[nodiscard]] const FamilyRule& rule() const { return *match.rule; }

    void add(Weight weight, std::string code, std::string detail) {
        evidence.push_back({std::move(code), weight, std::move(detail)});
    }
};

// Tells whether paths mean the same to the process and to this program: both have the same root
// directory and see the same home.
enum class Place { ours, elsewhere, unknown };
[[nodiscard]] Place place_of(const scanner::ProcessFacts& process);

// Returns the home that it serves, as its argv and environment name it; empty: not known.
[[nodiscard]] std::string named_home(const scanner::ProcessFacts& process, const Match& match);

// Returns all members among the candidates, by pid, with homes, parents and launchers filled in.
[[nodiscard]] std::vector<Member> find_members(const scanner::Facts& facts, const Rules& rules);

// Matches processes by the same rules several times, and only those that have changed since. For
// the second look, which reads one process of many again. `rules` outlives it.
class MatchMemory {
   public:
    explicit MatchMemory(const Rules& rules) : rules_(rules) {}

    [[nodiscard]] const Rules& rules() const { return rules_; }

    // Returns the match of a process that is no zombie, and the home that it names. They are kept
    // as long as row and environment are the same.
    struct Known {
        std::optional<Match> match;
        std::string home;
    };
    [[nodiscard]] const Known& find(const scanner::ProcessFacts& process);

   private:
    struct Entry {
        scanner::ProcessRow row;
        Environment environment;
        Known known;
    };
    const Rules& rules_;
    std::unordered_map<scanner::Pid, Entry> entries_;
};

// Does the same, with what is known from earlier calls.
[[nodiscard]] std::vector<Member> find_members(const scanner::Facts& facts, MatchMemory& memory);

// True if it is recognised only to be explained: a gateway, a user's own session.
[[nodiscard]] bool is_never_ended(const Member& member);

// True if it can do its work: it is not stopped, frozen or traced, and does not hang in the kernel.
[[nodiscard]] bool is_at_work(const scanner::ProcessFacts& process);

// True if its stdin or stdout is a terminal that was closed.
[[nodiscard]] bool has_lost_terminal(const scanner::ProcessFacts& process);
// True if nothing can ever talk to it again: both its stdin and its stdout are dead.
[[nodiscard]] bool is_cut_off(const scanner::ProcessFacts& process);

[[nodiscard]] std::chrono::milliseconds age_of(const scanner::ProcessRow& row,
                                               const scanner::Machine& machine);

// True if the environment is not the one that new processes of the install use: the process is from
// before the last update. False also if that is not known.
[[nodiscard]] bool is_outdated(const scanner::Lease& lease);

// Returns "pid 7 traces it"; below 0 it is traced, and by which process is not known.
[[nodiscard]] std::string tracer_text(scanner::Pid tracer);

// Returns the value of a variable; none: it is not set, or the environment could not be read.
[[nodiscard]] std::optional<std::string> variable(const scanner::ProcessFacts& process,
                                                  const std::string& name);

}  // namespace reaper::policy
