// Locks that a cleaner takes. All are flock(2)'s: they are seen across pid namespaces, and end with
// the process that holds them.
#pragma once

#include <optional>
#include <string>

#include "scanner/claim_files.hpp"
#include "scanner/fd.hpp"
#include "scanner/model/result.hpp"

namespace reaper::agent {

// Takes a shared lock on gateway.lock, or another lock of that kind, and returns its descriptor;
// none where there is no such file. operation_would_block: a gateway holds it.
[[nodiscard]] Result<std::optional<Fd>> share_lock(int home, const std::string& name);

// Locks a pid file that was found below `home`, and returns its descriptor. In its place the lock
// is shared: renaming the file decides which run takes it. Aside it is exclusive: then no other run
// is at work on it, and it was left behind. operation_would_block: another run has it.
// no_such_file_or_directory: the file is no longer there.
[[nodiscard]] Result<Fd> lock_pid_file(const scanner::ClaimFile& file, int home);

}  // namespace reaper::agent
