// How often to look who has come, while those who were told to end have their grace.
#pragma once

#include <algorithm>
#include <chrono>

namespace reaper::agent {

// Most begin soon after they were told to end, if any do: so often at first, and later each second.
[[nodiscard]] inline std::chrono::milliseconds pause_after(std::chrono::steady_clock::time_point began) {
    using std::chrono::milliseconds;
    const auto quarter = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - began) / 4;
    return std::clamp(quarter, milliseconds(10), milliseconds(1000));
}

}  // namespace reaper::agent
