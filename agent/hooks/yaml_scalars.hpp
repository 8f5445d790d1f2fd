// The values of YAML that are safe to keep among lines that change: a strict part of what YAML
// allows.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace reaper::agent {

// Why some of its characters make the text no YAML, or another one than it seems; empty: none.
[[nodiscard]] std::string refuse_letters(std::string_view text);

// What stands before a comment, without the blanks around it. `text`: no part of a quoted one.
[[nodiscard]] std::string_view without_comment(std::string_view text);

// True if it has nothing in it that could be a key, a comment or another mark. `begins`: it is not
// the second or a later line of a value.
[[nodiscard]] bool is_plain_scalar(std::string_view text, bool begins);

// Behind the quote that ends what began before `at`; npos: it is not ended in this text. `wrong`
// becomes true where something in it is no YAML.
[[nodiscard]] std::size_t end_of_quoted(std::string_view text, std::size_t at, char quote,
                                        bool& wrong);

// True for a list or an object on one line, of plain words and quoted texts.
[[nodiscard]] bool is_flow(std::string_view text);

// How long the key is that the text begins with, up to its colon; 0: there is none.
[[nodiscard]] std::size_t key_size(std::string_view text);

}  // namespace reaper::agent
