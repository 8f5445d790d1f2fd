// The deep look at one candidate: everything is read between the opening of its handle and a last "still the same, still
// alive?", so no fact can be another process's.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "scanner/facts.hpp"
#include "scanner/pid_handle.hpp"
#include "scanner/process_table.hpp"
#include "scanner/result.hpp"

namespace reaper::scanner {

struct InspectionRequest {
    std::vector<std::string> environment_keys;  // which variables to keep; all others are dropped while parsing
    std::string script;                         // the script as argv names it; empty: the program is no script
    bool look_up_package = false;               // read the name in the nearest package.json above the script
};

// Where an inspection has got to. Only the adversary tests listen; they change the world between two steps.
enum class InspectionPoint { pinned, row_read, evidence_read, verified };

class InspectionWitness {
   public:
    virtual ~InspectionWitness() = default;
    virtual void reached(Pid pid, InspectionPoint point) = 0;
};

// Sees the machine as of its creation where the kernel only offers whole tables (listening sockets): make a fresh one
// for every look.
class Inspector {
   public:
    explicit Inspector(const Procfs& procfs, InspectionWitness* witness = nullptr);
    ~Inspector();
    Inspector(const Inspector&) = delete;
    Inspector& operator=(const Inspector&) = delete;

    // no_such_process: it exited before the last check; nothing that was read may be used. resource_unavailable_try_again: it
    // became another program meanwhile. permission_denied: it lives, but /proc does not show it. invalid_argument: its row is
    // malformed. All other troubles are recorded in the facts themselves.
    [[nodiscard]] Result<ProcessFacts> inspect(const PidHandle& handle, const InspectionRequest& request);

   private:
    struct State;
    std::unique_ptr<State> state_;
};

// As far as the system knows it; empty: it does not.
[[nodiscard]] std::string user_name(Uid uid);

// The names of the candidates' users.
void add_user_names(std::span<ProcessFacts> candidates);

// Memory, user, terminal and CPU time of all candidates at once, from libproc2: for the sheet of one process. It costs 2 ms at
// its first call (it looks for libnuma everywhere), as much as a whole report. What it does not know stays zero or empty.
void add_details(std::span<ProcessFacts> candidates);

// Other processes that hold the far end of a pipe or socket open: for "stdin is held by". Costs a look at every descriptor
// of every process that may be read, so it is asked for single candidates only.
[[nodiscard]] std::vector<Pid> find_holders(const Procfs& procfs, std::uint64_t inode, Pid except);

}  // namespace reaper::scanner
