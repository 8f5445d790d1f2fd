#include "agent/cli/version.hpp"

#include <fmt/format.h>

namespace reaper::agent {

std::string_view commit() {
    return REAPER_COMMIT;
}

std::string version_text() {
    constexpr std::string_view kCommit = REAPER_COMMIT;
    const std::string built =
        kCommit.empty() ? std::string() : fmt::format(" (commit {})", kCommit);
    return fmt::format("orphan-reaper {}{}\n{}\n", REAPER_VERSION, built, REAPER_LINKAGE);
}

}  // namespace reaper::agent
