// Parses what KERN_PROCARGS2 returns: how a process was started, from its own memory.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scanner/model/result.hpp"

namespace reaper::scanner::darwin {

struct Arguments {
    std::string path;  // as it was given to exec: may be relative, or lead through links
    std::vector<std::string> argv;
    // NUL-separated, with a few strings that the kernel adds behind. None: macOS hides it, as for
    // programs of Apple's.
    std::optional<std::string> environment;

    bool operator==(const Arguments&) const = default;
};

// Parses a reply to a call that had room for `capacity` bytes. invalid_argument: it fills that
// room, so its beginning may be missing, or it is not in form.
[[nodiscard]] Result<Arguments> parse_arguments(std::string_view reply, std::size_t capacity);

}  // namespace reaper::scanner::darwin
