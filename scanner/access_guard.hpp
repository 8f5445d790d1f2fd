// Guards reads of what a user controls, which may never return: a folder on a file system that
// hangs, memory that is mapped from one. Every such read asks here first. So a watcher in another
// process knows what the scanner stopped at, and can have it left out the next time.
#pragma once

#include <string_view>

#include "scanner/model/identity.hpp"

namespace reaper::scanner {

class AccessGuard {
   public:
    virtual ~AccessGuard() = default;
    // False: it did not answer before and must not be touched again. `user`: the user whose
    // processes it matters for.
    [[nodiscard]] virtual bool may_read(Uid user, std::string_view path) = 0;
    [[nodiscard]] virtual bool may_read_memory(Pid pid) = 0;
};

// Sets the guard of this program; it must outlive every read. Null: everything may be read.
void guard_access(AccessGuard* guard);

// Asks the guard about a file or folder by a name that a user chose. A name that is no path stands
// for a service that may be slow.
[[nodiscard]] bool may_read(Uid user, std::string_view path);
// Asks the guard about the command line, environment and maps of a process.
[[nodiscard]] bool may_read_memory(Pid pid);

}  // namespace reaper::scanner
