// Runs a program of the system, for what it prints.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "scanner/model/result.hpp"

namespace reaper::agent {

struct CommandOutput {
    int status = 0;  // as a shell tells it
    std::string text;
};

// `argv[0]` is a full path. Nothing is read from stdin, and stderr is dropped. timed_out: it did
// not end in time, and was ended. file_too_large: it printed more than 256 KiB. `environment`:
// "NAME=value", beside those of this program.
[[nodiscard]] Result<CommandOutput> read_command(std::vector<std::string> argv,
                                                 std::chrono::milliseconds most_time,
                                                 std::vector<std::string> environment = {});

}  // namespace reaper::agent
