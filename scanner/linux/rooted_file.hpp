// Opens files as another process sees them.
#pragma once

#include "scanner/regular_file.hpp"

namespace reaper::scanner {

// Finds `path` as a process with the root directory `root` sees it: links are followed, but never
// out of that root.
[[nodiscard]] Result<FoundFile> find_in_root(int root, const char* path);

}  // namespace reaper::scanner
