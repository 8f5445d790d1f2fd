// Locks that a cleaner takes. All are flock(2)'s, which are seen across pid namespaces and end with whoever holds them.
#pragma once

#include <optional>
#include <string>

#include "scanner/claim_files.hpp"
#include "scanner/fd.hpp"
#include "scanner/result.hpp"

namespace reaper::agent {

// A descriptor of gateway.lock with a shared lock on it; none where there is no such file.
// operation_would_block: a gateway holds it.
[[nodiscard]] Result<std::optional<Fd>> share_gateway_lock(int home);

// A descriptor of the file itself, that was found below `home`, with a lock on it. All runs share a file in its place, as renaming it
// decides which of them takes it aside; one that is aside only one run has, so that none of the others is at work on it: it was left
// there. operation_would_block: one is. no_such_file_or_directory: the file is there no longer.
[[nodiscard]] Result<Fd> lock_pid_file(const scanner::ClaimFile& file, int home);

}  // namespace reaper::agent
