// Finds the words of a hook of this program in any text, however they are written.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "agent/hooks/parts.hpp"

namespace reaper::agent {

// The line, counted from 1, where the text says 'sweep', and close behind it '--detach' and
// '--from' with the name of the host; none: it does not. Quotes, commas and brackets around the
// words do not matter, nor ends of lines between them.
[[nodiscard]] std::optional<std::size_t> line_that_asks(std::string_view text,
                                                        const HookHost& host);

// The same without '--from': that is enough in a hook of the host's own event.
[[nodiscard]] std::optional<std::size_t> line_that_detaches(std::string_view text);

}  // namespace reaper::agent
