#include "agent/cli/version.hpp"

#include <string_view>

#include <fmt/format.h>

namespace reaper::agent {

std::string version_text() {
    constexpr std::string_view commit = REAPER_COMMIT;
    const std::string built = commit.empty() ? std::string() : fmt::format(" (commit {})", commit);
    return fmt::format("orphan-reaper {}{}\n{}\n", REAPER_VERSION, built, REAPER_LINKAGE);
}

}  // namespace reaper::agent
