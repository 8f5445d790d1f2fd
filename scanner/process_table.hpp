// The process table: one cheap walk over all of it, and single rows on demand.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scanner/fd.hpp"
#include "scanner/model/facts.hpp"
#include "scanner/model/result.hpp"

namespace reaper::scanner {

// Where the processes of this machine are read from. What that is, only the files of the system
// know.
class ProcessTable {
   public:
    // Opens /proc, or a tree like it. Fails if `root` is no directory that can be opened.
    [[nodiscard]] static Result<ProcessTable> open(std::string root = "/proc");
    ProcessTable(ProcessTable&& other) noexcept;
    ProcessTable& operator=(ProcessTable&& other) noexcept;
    ProcessTable(const ProcessTable&) = delete;
    ProcessTable& operator=(const ProcessTable&) = delete;
    ~ProcessTable();

    // Returns what it is called in messages.
    [[nodiscard]] const std::string& name() const;
    // Returns what a copy of this process must keep open to read it.
    [[nodiscard]] std::vector<int> descriptors() const;

    struct Source;
    [[nodiscard]] const Source& source() const { return *source_; }

   private:
    explicit ProcessTable(std::unique_ptr<Source> source);

    std::unique_ptr<Source> source_;
};

struct WalkScope {
    std::optional<Uid> uid;                 // none: every user's processes
    std::vector<std::string> interpreters;  // names as is_interpreter() takes them
    // Those of them that need not be seen: one that cannot be read does not count as denied.
    std::vector<std::string> dispensable = {};
    bool whatever_runs = false;  // every process with an exe is a candidate
};

struct Walk {
    std::vector<Pid> candidates;  // processes whose exe is one of the interpreters, by pid
    std::vector<Pid> zombies;     // of the scope, by pid: they have no exe any more
    ScanCount count;
};

// Walks the table once, without a fork or an allocation per process. Of a process whose exe is no
// interpreter only that link is read (and its stat, if the link is refused). Zombies have no exe,
// so none is a candidate. Fails only if the table itself cannot be read. A process that vanishes
// meanwhile is counted, not an error. A process of the scope whose exe cannot be read counts as
// denied, except kernel threads, which have none, and process 1.
[[nodiscard]] Result<Walk> walk(const ProcessTable& table, const WalkScope& scope);

// Opens its executable without asking the file system that has it, which may hang.
[[nodiscard]] Result<Fd> open_program(const ProcessTable& table, Pid pid);

// Reads only pid, exe and command line, by which rules match. Fails like read_row().
[[nodiscard]] Result<ProcessRow> read_program(const ProcessTable& table, Pid pid);

// Reads its working folder, without the mark of one that was deleted.
[[nodiscard]] Reading<std::string> read_working_folder(const ProcessTable& table, Pid pid);

// Reads the variables of `keys` that its environment has.
[[nodiscard]] Reading<std::map<std::string, std::string>> read_variables(
    const ProcessTable& table, Pid pid, std::span<const std::string> keys);

[[nodiscard]] Result<Uids> read_uids(const ProcessTable& table, Pid pid);
// Returns its real uid, which a setuid program does not change.
[[nodiscard]] Result<Uid> read_real_uid(const ProcessTable& table, Pid pid);

// True if its exe is one of them. That link can be read whatever the process does.
[[nodiscard]] bool runs_one_of(const ProcessTable& table, Pid pid,
                               std::span<const std::string> interpreters);

// Reads the row of one process. no_such_process: it is gone, or this is the number of a thread.
// exe, command line and cgroup carry their own access.
[[nodiscard]] Result<ProcessRow> read_row(const ProcessTable& table, Pid pid);

// Reads the row without exe, command line and cgroup. Fails like read_row().
[[nodiscard]] Result<ProcessRow> read_short_row(const ProcessTable& table, Pid pid);

}  // namespace reaper::scanner
