// What may be wrong with the machine around the helpers. No verdict depends on any of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "scanner/model/identity.hpp"

namespace reaper::scanner {

// What a process does about SIGCHLD. Where it is ignored, the kernel itself collects its children
// as they end.
struct ChildSignal {
    bool ignored = false;
    bool blocked = false;
    bool caught = false;

    bool operator==(const ChildSignal&) const = default;
};

// Process 1, and whether it collects what it has adopted.
struct InitState {
    std::string name;                         // comm: raw bytes; empty: could not be read
    std::optional<ChildSignal> child_signal;  // none: could not be read
    // Its children, of the users that were looked at, that ended some time ago and are still there.
    std::size_t zombies = 0;
    bool counted_all = true;  // false: there may be more

    bool operator==(const InitState&) const = default;
};

// How near the processes and threads of a user, or of a cgroup, are to a limit.
struct TaskLimit {
    std::optional<std::uint64_t> used;  // none: not counted
    std::optional<std::uint64_t> most;  // none: there is no limit, or it is not known
    std::string where;                  // what has it; empty: nothing

    bool operator==(const TaskLimit&) const = default;
};

// Returns which part of the limit is used; 0 where that is not known.
[[nodiscard]] constexpr double used_part(const TaskLimit& limit) {
    if (!limit.used || !limit.most) return 0;
    return *limit.most == 0 ? 1
                            : static_cast<double>(*limit.used) / static_cast<double>(*limit.most);
}

struct Diagnosis {
    InitState init;
    TaskLimit cgroup;  // pids.max
    TaskLimit user;    // ulimit -u
    Uid uid = 0;       // of that user

    bool operator==(const Diagnosis&) const = default;
};

}  // namespace reaper::scanner
