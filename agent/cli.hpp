// The command line: words in, Options out. Reads nothing but its arguments.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "agent/options.hpp"

namespace reaper::agent {

// Nothing to run: print `text` to stdout (help, version; status 0) or to stderr (usage; status 2).
struct Message {
    std::string text;
    int status = 0;
};

[[nodiscard]] std::variant<Options, Message> parse(std::span<const char* const> arguments);

}  // namespace reaper::agent
