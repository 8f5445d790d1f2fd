// Who is the parent of a process: the host that talks to it, or only somebody who adopted it?
#pragma once

#include <string>

#include "policy/rules.hpp"
#include "scanner/facts.hpp"

namespace reaper::policy {

struct Parentage {
    enum class Nature {
        init,          // pid 1 of this namespace
        user_manager,  // systemd --user
        subreaper,     // provably not who started it
        host,          // a program that starts members of the family
        live,          // some other living process: counts as a host
        outside,       // in another pid namespace (ppid 0)
        unknown,       // could not be read
    };
    Nature nature = Nature::unknown;
    scanner::Pid pid = 0;
    std::string detail;  // "parent is init (pid 1)"

    [[nodiscard]] bool adopted() const {
        return nature == Nature::init || nature == Nature::user_manager || nature == Nature::subreaper;
    }
    [[nodiscard]] bool has_live_host() const { return nature == Nature::host || nature == Nature::live; }
};

[[nodiscard]] Parentage parentage_of(const scanner::Facts& facts, const FamilyRule& rule,
                                     const scanner::ProcessRow& child);

// Process 1, as the first program of a machine or a container that only looks after others.
[[nodiscard]] bool is_init(const scanner::ProcessRow& parent);

// Provably nobody's host: an init, the user's service manager, or somebody else who adopted `child`, by the rules of no family.
[[nodiscard]] bool is_adopter(const scanner::ProcessRow& parent, const scanner::ProcessRow& child);

// The row of any process that the facts hold: candidates and their relatives. Null: none.
[[nodiscard]] const scanner::ProcessRow* find_row(const scanner::Facts& facts, scanner::Pid pid);

}  // namespace reaper::policy
