// Commands that a person is shown, to be typed.
#pragma once

#include <string>
#include <string_view>

namespace reaper::agent {

// `command`, in which every word is as it is typed, to be shown; a sentence in brackets instead,
// where a terminal would not show it as it is: control and direction characters, no UTF-8.
[[nodiscard]] std::string command_to_show(std::string_view command);

}  // namespace reaper::agent
