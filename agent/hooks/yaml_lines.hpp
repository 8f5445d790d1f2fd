// A YAML file as its lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace reaper::agent {

struct YamlLine {
    std::string text = {};  // with its newline, if it has one
    std::size_t indent = 0;
    bool is_blank = false;  // or a comment

    // Without the blanks around it.
    [[nodiscard]] std::string_view words() const;
    [[nodiscard]] bool is_element() const;
    // What comes before the colon, where that is a plain key; else empty.
    [[nodiscard]] std::string_view key() const;
    // What comes behind it, for a line that has a key.
    [[nodiscard]] std::string_view value() const;
};

[[nodiscard]] std::vector<YamlLine> yaml_lines(std::string_view text);
[[nodiscard]] std::string joined(const std::vector<YamlLine>& lines);

// Behind the last line that belongs to the one at `at`: it is indented more, or an element of the
// list that the key has.
[[nodiscard]] std::size_t end_of_block(const std::vector<YamlLine>& lines, std::size_t at);

}  // namespace reaper::agent
