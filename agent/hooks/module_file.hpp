// The plugin of opencode: a file that is ours as a whole.
#pragma once

#include <string>
#include <string_view>

namespace reaper::agent {

// The text of the file. `with_folder`: the folder was made for it, and goes with it.
[[nodiscard]] std::string module_text(std::string_view program, bool with_folder);

// True if an installation of any version has written this text.
[[nodiscard]] bool is_own_module(std::string_view text);
// True if that has made the folder as well.
[[nodiscard]] bool has_own_folder(std::string_view text);

}  // namespace reaper::agent
