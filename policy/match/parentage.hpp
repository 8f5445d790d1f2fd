// Tells what the parent of a process is: the host that talks to it, or only an adopter.
#pragma once

#include <string>

#include "policy/rules/rules.hpp"
#include "scanner/model/facts.hpp"

namespace reaper::policy {

struct Parentage {
    enum class Nature {
        init,          // pid 1 of this namespace
        user_manager,  // systemd --user
        subreaper,     // proven not to have started it
        launchd,       // launchd started it as a job of its own, or may have: it is no adopter
        host,          // a program that starts members of the family
        live,          // any other living process: counts as a host
        outside,       // in another pid namespace (ppid 0)
        unknown,       // could not be read
    };
    Nature nature = Nature::unknown;
    scanner::Pid pid = 0;
    std::string detail;  // "parent is init (pid 1)"
    // What the kernel remembers of the process that started it; only for adopted ones.
    scanner::FirstParent first_parent = scanner::FirstParent::not_told;

    [[nodiscard]] bool adopted() const {
        return nature == Nature::init || nature == Nature::user_manager ||
               nature == Nature::subreaper;
    }
    [[nodiscard]] bool has_live_host() const {
        return nature == Nature::host || nature == Nature::live;
    }
};

// Tells what the parent of `child` is. Hosts by the rules of the family come before all else; a
// parent that could not be read is `unknown`, and on macOS also launchd where it is not known
// whether it has adopted `child`.
[[nodiscard]] Parentage parentage_of(const scanner::Facts& facts, const FamilyRule& rule,
                                     const scanner::ProcessRow& child);

// True for a process with the name of an init, whether it is process 1 or a subreaper (tini -s).
[[nodiscard]] bool is_called_init(const scanner::ProcessRow& parent);

// True for process 1 of a machine or container if it is an init, which only looks after other
// processes.
[[nodiscard]] bool is_init(const scanner::ProcessRow& parent);

// True for a parent that is certainly no host: an init, the service manager of the user, or another
// subreaper that adopted `child`. No family's rules are used.
[[nodiscard]] bool is_adopter(const scanner::ProcessRow& parent, const scanner::ProcessRow& child);

// Returns the row of a process in the facts: candidates, relatives and descendants, each by pid.
// Null: it is not there.
[[nodiscard]] const scanner::ProcessRow* find_row(const scanner::Facts& facts, scanner::Pid pid);

}  // namespace reaper::policy
