// Reads one candidate in depth. Everything is read after its handle was opened and before a last
// check that it is the same process and alive, so no fact can belong to another process.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "scanner/model/facts.hpp"
#include "scanner/model/result.hpp"
#include "scanner/pid_handle.hpp"
#include "scanner/process_table.hpp"

namespace reaper::scanner {

// Folders as the process names them.
struct NamedFolders {
    std::string home;  // empty: not known
    // Folders that would hold pid, lock and ledger files about it.
    std::vector<std::string> records;
};

struct InspectionRequest {
    // The variables to keep; all others are dropped while parsing.
    std::vector<std::string> environment_keys;
    std::string script;            // the script as argv names it; empty: it runs no script
    bool look_up_package = false;  // read the name in the nearest package.json above the script
    // Derives the folders from the facts that were read so far, including environment and script.
    // Null: folders are not needed.
    std::function<NamedFolders(const ProcessFacts&)> folders = nullptr;
};

// The steps of an inspection. Only the adversary tests observe them: they change the world between
// two steps.
enum class InspectionPoint { pinned, row_read, evidence_read, verified };

class InspectionObserver {
   public:
    virtual ~InspectionObserver() = default;
    virtual void reached(Pid pid, InspectionPoint point) = 0;
};

// Reads what the kernel offers only as whole tables (listening sockets) once, when it is first
// needed. Use a new object for every look.
class Inspector {
   public:
    explicit Inspector(const ProcessTable& table, InspectionObserver* witness = nullptr);
    ~Inspector();
    Inspector(const Inspector&) = delete;
    Inspector& operator=(const Inspector&) = delete;

    // Reads all facts of the process. no_such_process: it exited before the last check, so nothing
    // that was read may be used. resource_unavailable_try_again: it became another program
    // meanwhile. permission_denied: it is alive, but /proc does not show it. invalid_argument: its
    // row is malformed. All other failures are recorded in the facts.
    [[nodiscard]] Result<ProcessFacts> inspect(const PidHandle& handle,
                                               const InspectionRequest& request);

   private:
    struct State;
    std::unique_ptr<State> state_;
};

// Returns the name of a user; empty: the system knows none.
[[nodiscard]] std::string user_name(Uid uid);

// Fills in the user names of the candidates.
void add_user_names(std::span<ProcessFacts> candidates);

// Fills in memory, user, terminal and CPU time of all candidates at once, from libproc2, for the
// details of one process. The first call takes 2 ms (it searches for libnuma), as long as a whole
// report. What is not known stays zero or empty.
void add_details(std::span<ProcessFacts> candidates);

// Returns the processes that hold the far ends of these pipes and sockets, by inode, for "stdin is
// held by". Reads every readable descriptor of every process, however many inodes are asked for;
// not all of a user whose processes have some 100,000 open.
using Holders = std::map<std::uint64_t, std::vector<Pid>>;
[[nodiscard]] Holders find_holders(const ProcessTable& table,
                                   const std::vector<std::uint64_t>& inodes);

}  // namespace reaper::scanner
