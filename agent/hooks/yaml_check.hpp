// Whether a YAML file is plain enough to be changed line by line.
#pragma once

#include <string>
#include <string_view>

namespace reaper::agent {

// Why lines cannot be added to it or taken out of it, as the end of a sentence; empty: they can.
// Every line is looked at. Allowed are keys, each said once, and lists, by indentation; and as
// values plain words, closed quotes, lists and objects on one line, and texts after | and >.
[[nodiscard]] std::string refuse_yaml(std::string_view text);

}  // namespace reaper::agent
