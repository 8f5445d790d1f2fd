// The first half of the command line: told apart into commands, options and values. Inside of the
// command line only.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "agent/cli/option_table.hpp"

namespace reaper::agent {

using Arguments = std::span<const char* const>;

struct CommandLineTokens {
    // Those that were given, in the order of the table, with their values.
    std::map<const OptionInfo*, std::vector<std::string>> options;
    std::vector<std::string> plain;                   // command, pids
    std::optional<std::vector<std::string>> program;  // what stands behind "--", undecided yet
    std::string unknown;                              // says which option is unknown, or is empty

    [[nodiscard]] bool has(std::string_view name) const {
        return options.contains(find_option(name));
    }
};

// Options may stand before and after plain words; "-qv" is "-q -v", "-ofile" and "--output=file"
// are "-o file". "-5" is a plain word. Fails, with the text of the error, on a value that is
// missing, empty, an option itself or not wanted, and on a single option that is given twice.
[[nodiscard]] tl::expected<CommandLineTokens, std::string> split(Arguments arguments);

}  // namespace reaper::agent
