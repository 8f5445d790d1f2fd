// Makes the worst case happen on demand: another process gets the pid of one that has just ended.
#pragma once

#include <functional>

#include "scanner/model/identity.hpp"

namespace reaper::test {

// fork(2) that gets the pid it asks for. -1 and errno: EEXIST when the number is in use (also as
// that of a group or session), EPERM without CAP_SYS_ADMIN in the pid namespace. Linux 5.5.
[[nodiscard]] scanner::Pid fork_with_pid(scanner::Pid wanted);

// What `work` returns (0 to 100) as pid 1 of a pid namespace of its own, which is gone afterwards,
// with all processes in it. -1: not permitted here, or `work` did not return.
[[nodiscard]] int in_private_namespace(const std::function<int()>& work);

}  // namespace reaper::test
