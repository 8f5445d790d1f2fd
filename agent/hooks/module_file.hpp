// The plugin of opencode: a file that is ours as a whole.
#pragma once

#include <string>
#include <string_view>

namespace reaper::agent {

// The text of the file. `with_folder`: the folder was made for it, and goes with it.
[[nodiscard]] std::string module_text(std::string_view program, bool with_folder);

// The program that it names, if an installation has written exactly this text; empty: a person has
// written or changed it.
[[nodiscard]] std::string program_of_module(std::string_view text);
// True if install has made the folder as well.
[[nodiscard]] bool has_own_folder(std::string_view text);

}  // namespace reaper::agent
