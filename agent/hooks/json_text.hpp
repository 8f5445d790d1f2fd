// JSON as text: where its parts stand, one more of them, one less. What is not touched keeps its
// bytes. All texts here are valid JSON, which the caller has made sure of.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace reaper::agent {

// One member of an object, or one element of a list.
struct JsonItem {
    std::size_t begin = 0;  // of the key, where there is one
    std::size_t value = 0;
    std::size_t end = 0;
    std::string key = {};  // empty: an element
};

// Where the outermost value begins.
[[nodiscard]] std::size_t json_begin(std::string_view text);

// What the object or list at `open` holds.
[[nodiscard]] std::vector<JsonItem> json_items(std::string_view text, std::size_t open);

// True if no value is more than 100 levels deep. The only one that takes any text.
[[nodiscard]] bool is_shallow(std::string_view text);

// Puts `item`, JSON on one line or several with two blanks for a level, behind the last one in the
// object or list at `open`, in the manner of what is there.
[[nodiscard]] std::string append_item(std::string_view text, std::size_t open,
                                      std::string_view item);

// Takes the item out, with the comma that it has for itself alone.
[[nodiscard]] std::string remove_item(std::string_view text, std::size_t open, std::size_t index);

// The text without all that only makes it look well.
[[nodiscard]] std::string compact_json(std::string_view text);

}  // namespace reaper::agent
