// For a process that only watches over others, and must not keep their ends of pipes open, nor their file systems from being unmounted.
#pragma once

#include <vector>

#include "scanner/process_table.hpp"

namespace reaper::agent {

// Closes every descriptor but these; stdin, stdout and stderr become /dev/null, the working directory /. None of `kept` may be one of
// those three.
void let_go_of_all_but(const scanner::Procfs& procfs, const std::vector<int>& kept);

}  // namespace reaper::agent
