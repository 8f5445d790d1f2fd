// The first half of the command line: words told apart into commands, options and values. Inside of the command line only.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "agent/option_table.hpp"

namespace reaper::agent {

struct Mistake {
    std::string what;
};

struct Words {
    std::map<OptionId, std::vector<std::string>> options;  // those that were given, with their values
    std::vector<std::string> plain;                        // command, pids
    std::optional<std::vector<std::string>> program;       // what stands behind "--", where a program can

    [[nodiscard]] bool has(OptionId id) const { return options.count(id) != 0; }
};

// A mistake: an unknown option, a value that is missing, empty or not wanted, a single option given twice.
[[nodiscard]] tl::expected<Words, Mistake> split(std::span<const char* const> arguments);

}  // namespace reaper::agent
