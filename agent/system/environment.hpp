// The environment of this program.
#pragma once

#include <cstdlib>
#include <string>

namespace reaper::agent {

// Returns the value of a variable; empty also where there is none.
[[nodiscard]] inline std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
}

}  // namespace reaper::agent
