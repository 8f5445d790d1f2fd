// The same changes as in json_hooks.hpp on parsed values: what the changed text has to come out as.
#pragma once

#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "agent/hooks/parts.hpp"

namespace reaper::agent {

// Which empty containers stay, as they were there before the installation.
struct KeptContainers {
    bool hooks = false;  // the object
    bool event = false;  // the list in there
};

// What the file says with the hook. Its containers have the right types, or are not there.
[[nodiscard]] nlohmann::json with_hook(nlohmann::json file, const HookHost& host,
                                       std::string_view program);

// What it says without any hook of this program.
[[nodiscard]] nlohmann::json without_hooks(nlohmann::json file, const HookHost& host,
                                           KeptContainers kept);

// The hooks of this program, of any version.
[[nodiscard]] std::vector<nlohmann::json> own_hooks(const nlohmann::json& file,
                                                    const HookHost& host);

}  // namespace reaper::agent
