// Everybody below a process, held by handles: they are still known once it has ended and the kernel gives them other parents.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "scanner/pid_handle.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

// Who belongs to them, beyond what the process table says.
struct Kinship {
    std::string mark;  // is in his environment, where he was adopted by whoever adopts now that the root has ended
    std::set<scanner::Pid> strangers;  // below the root, and none of them, nor is whoever is below these
};

class Kin {
   public:
    // `root` counts as one of them until it has ended; this process never does. Who has the mark and was adopted was below a process of
    // `run` with the same host that was killed. `procfs` outlives this.
    Kin(const scanner::Procfs& procfs, scanner::PidHandle root, Kinship kinship);

    // Takes in who is below them now, or has the mark, and lets go of those who have ended. Whoever has thrown the mark away, and came and
    // lost his parent between two looks, the second one after the end of the root, is missed. Where descriptors run out, the rest is taken
    // in once others have ended.
    void look();

    [[nodiscard]] bool empty() const { return held_.empty(); }
    [[nodiscard]] std::vector<scanner::Pid> pids() const;
    // One of them has that pid, and has not ended: so had whoever was seen under it before this was asked.
    [[nodiscard]] bool has(scanner::Pid pid) const;

   private:
    [[nodiscard]] bool belongs(scanner::Pid pid) const;

    const scanner::Procfs& procfs_;
    std::vector<scanner::PidHandle> held_;
    scanner::Pid root_;
    Kinship kinship_;
};

}  // namespace reaper::agent
