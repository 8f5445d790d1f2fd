// A lock without a file: a name that only one process at a time can have, of an abstract unix socket (unix(7)). It needs no folder and no
// right to write, every user can see who has it, and it goes with its holder. There is one of each name in a network namespace.
#pragma once

#include <optional>
#include <string>

#include "scanner/fd.hpp"
#include "scanner/identity.hpp"
#include "scanner/result.hpp"

namespace reaper::agent {

struct LockHolder {
    scanner::Pid pid = 0;                  // 0: not known
    std::optional<scanner::Uid> uid = {};  // none: not known
};

// A socket without a name. The copies of a process that has one share the name that any of them takes.
[[nodiscard]] Result<Fd> make_name_lock();

// False: somebody else has it.
[[nodiscard]] Result<bool> take_name(const Fd& socket, const std::string& name);

// Who has it, by the word of the kernel. None: nobody.
[[nodiscard]] std::optional<LockHolder> find_name_holder(const std::string& name);

}  // namespace reaper::agent
