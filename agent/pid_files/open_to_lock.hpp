// How a file that was found becomes one that can be locked. Inside of locks.cpp only.
#pragma once

#include "scanner/fd.hpp"
#include "scanner/regular_file.hpp"

namespace reaper::agent {

// Returns the very file that was found, open for reading. Empty: errno says why.
[[nodiscard]] Fd open_to_lock(const scanner::FoundFile& found);

}  // namespace reaper::agent
