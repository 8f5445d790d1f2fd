// How a page looks: on a phone and on a desk, light and dark, and printed.
#pragma once

#include <string_view>

namespace reaper::agent::html {

// Returns the whole style sheet. It names no file and no font that would have to be fetched.
[[nodiscard]] std::string_view style_sheet();

}  // namespace reaper::agent::html
