// Asks another program, within a time limit.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "scanner/model/result.hpp"

namespace reaper::agent {

struct CommandCall {
    std::vector<std::string> argv = {};
    std::string input = {};                     // its standard input
    std::vector<std::string> environment = {};  // "NAME=value", besides our own
    std::chrono::milliseconds limit{20'000};
};

struct CommandAnswer {
    int status = 0;  // as a shell has it; 127: there is no such program
    std::string out = {};
    std::string err = {};
};

// Runs it without a shell, in the C locale and UTC, and waits for its end. A program without a path
// is looked up in PATH; for root only in the folders of the system. timed_out: it took
// longer than the limit, and was ended. file_too_large: it said more than 64 MB. Any other failure:
// it could not be started.
[[nodiscard]] Result<CommandAnswer> ask(const CommandCall& call);

// "systemctl --user enable x", as a person would type it.
[[nodiscard]] std::string typed(const std::vector<std::string>& argv);

// Its first line on stderr, else on stdout, for a message; else that it failed.
[[nodiscard]] std::string complaint(const CommandAnswer& answer);

}  // namespace reaper::agent
