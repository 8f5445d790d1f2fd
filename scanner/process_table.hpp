// The process table: one cheap walk over all of it, and single rows when somebody asks.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scanner/facts.hpp"
#include "scanner/fd.hpp"
#include "scanner/result.hpp"

namespace reaper::scanner {

// Where the table is read from. A value that is handed around, so that a test can point it at a tree of its own.
class Procfs {
   public:
    [[nodiscard]] static Result<Procfs> open(std::string root = "/proc");

    [[nodiscard]] int fd() const { return directory_.get(); }
    [[nodiscard]] const std::string& root() const { return root_; }

   private:
    Procfs(std::string root, Fd directory) : root_(std::move(root)), directory_(std::move(directory)) {}

    std::string root_;
    Fd directory_;
};

struct WalkScope {
    std::optional<Uid> uid;                 // none: every user's processes
    std::vector<std::string> interpreters;  // what is_interpreter() is asked for
};

struct Walk {
    std::vector<Pid> candidates;  // whose exe is one of the interpreters, by pid
    std::vector<Pid> zombies;     // of the scope, by pid: they have no exe any more
    ScanCount count;
};

// One pass, no fork, no allocation per process; of a process whose exe is no interpreter, only that link is read (and
// the stat of one that refuses it). Zombies have no exe, so no zombie is a candidate.
// Fails only when the table itself cannot be read. A process that vanishes meanwhile is counted, not an error; one of
// the scope whose exe cannot be read is counted as denied (kernel threads have none, and are not; nor is process 1).
[[nodiscard]] Result<Walk> walk(const Procfs& procfs, const WalkScope& scope);

// Only pid, exe and command line: what a rule is matched by. Fails as read_row does.
[[nodiscard]] Result<ProcessRow> read_program(const Procfs& procfs, Pid pid);

// Those of `keys` that its environment has.
[[nodiscard]] Reading<std::map<std::string, std::string>> read_variables(const Procfs& procfs, Pid pid,
                                                                         std::span<const std::string> keys);

// Whose it is, whatever a setuid program has made of it.
[[nodiscard]] Result<Uid> read_real_uid(const Procfs& procfs, Pid pid);

// The row of one process. no_such_process: it is gone, or this is the number of a thread. exe, command line and cgroup
// carry their own access.
[[nodiscard]] Result<ProcessRow> read_row(const Procfs& procfs, Pid pid);

}  // namespace reaper::scanner
