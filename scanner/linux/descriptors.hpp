// Reads what a process has open: sockets that listen, parts of deleted databases, and files that it
// has locked.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scanner/linux/sock_diag.hpp"
#include "scanner/model/process.hpp"
#include "scanner/model/result.hpp"
#include "scanner/parse/proc_fdinfo.hpp"

namespace reaper::scanner {

// Bounds what the processes of one user cost by what they have open, in one look.
class DescriptorBudget {
   public:
    // Lists the numbers in fd or fdinfo of the open /proc/PID `process`, of `user`, to be read one
    // by one. file_too_large: the user's processes have too many open; that is so, too, for what
    // comes after it, unless it has only a few, as most have.
    [[nodiscard]] Result<std::vector<int>> list(int process, const char* folder, Uid user);

   private:
    std::map<Uid, std::size_t> used_;
};

// The user that what is read counts for. No budget: it is not bounded, for a single process.
struct DescriptorAccount {
    DescriptorBudget* budget = nullptr;
    Uid user = 0;  // the real one: a setuid program inherits what its user has opened

    [[nodiscard]] Result<std::vector<int>> list(int process, const char* folder) const;
};

// Reads the descriptors of the open /proc/PID `process`. Skips a descriptor that is closed
// meanwhile.

struct OpenFiles {
    std::vector<Listener> listeners;     // its sockets that are in `listening`
    std::vector<std::uint64_t> sockets;  // the first of its other sockets
    // Paths of write-ahead logs that have no name any more.
    std::vector<std::string> deleted_databases;
    bool has_lease = false;  // a file that could be a lease of an install of Hermes is open
};

[[nodiscard]] Result<OpenFiles> open_files_of(int process, const std::vector<DiagSocket>& listening,
                                              const DescriptorAccount& account = {});

struct LockedFile {
    std::string path;  // as in the link of the descriptor
    std::vector<FileLock> locks;
};

// Returns the files on which it holds a lock of any kind, once per descriptor.
[[nodiscard]] Result<std::vector<LockedFile>> locked_files_of(
    int process, const DescriptorAccount& account = {});

}  // namespace reaper::scanner
