// For a process that only watches others: it must not keep their ends of pipes open, nor their file
// systems mounted.
#pragma once

#include <vector>

#include "scanner/process_table.hpp"

namespace reaper::agent {

// Makes stdin, stdout and stderr /dev/null.
void detach_stdio();

// Closes every descriptor but these and those of `table`; stdin, stdout and stderr become
// /dev/null, the working directory /. None of `kept` may be one of those three.
void close_descriptors_except(const scanner::ProcessTable& table, const std::vector<int>& kept);

// Does the same, but keeps the working directory: for a process that continues the work of its
// parent.
void close_descriptors_keeping_directory(const scanner::ProcessTable& table,
                                         const std::vector<int>& kept);

}  // namespace reaper::agent
