// The files of packaging/systemd as the build found them. Inside of the room only.
#pragma once

#include <span>
#include <string_view>

namespace reaper::agent {

struct UnitTemplate {
    std::string_view name;  // "orphan-reaper.service"
    std::string_view text;
};

// Made by CMake: packaging/cmake/unit_templates.cpp.in.
[[nodiscard]] std::span<const UnitTemplate> unit_templates();

}  // namespace reaper::agent
