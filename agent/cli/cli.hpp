// The command line: words in, Options out. Reads nothing but its arguments.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "agent/cli/options.hpp"

namespace reaper::agent {

// Nothing to run: print `text` to stdout (help, version; status 0) or to stderr (usage; status 2).
struct Message {
    std::string text;
    int status = 0;
};

// `arguments` without the program's own name. Every error names what was wrong, what was expected
// and, where there is one, the nearest right word. Families, homes and users are taken as they
// stand; whether they exist is for the commands to find out.
[[nodiscard]] std::variant<Options, Message> parse(std::span<const char* const> arguments);

// "orphan-reaper: ..." and where to read more; status 2. For mistakes that show only later, such as
// an unknown family.
[[nodiscard]] Message usage_error(std::string_view what);

// The options that give another command the same scope, as they are typed: "--all-users --home
// '/srv/a b'".
[[nodiscard]] std::string scope_words(const ScopeOptions& options);

// As it is typed in a POSIX shell: in quotes, when it is not plain.
[[nodiscard]] std::string shell_word(std::string_view word);

}  // namespace reaper::agent
