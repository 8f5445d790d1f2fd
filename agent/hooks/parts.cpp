#include "agent/hooks/parts.hpp"

namespace reaper::agent {

std::string_view to_string(HookState state) {
    switch (state) {
        case HookState::installed: return "installed";
        case HookState::by_hand: return "installed by hand";
        case HookState::other_version: return "other version";
        case HookState::off: return "off";
        case HookState::unclear: return "unclear";
        case HookState::not_installed: return "not installed";
        case HookState::no_host: return "no host";
        case HookState::unknown: break;
    }
    return "unknown";
}

std::string backup_of(const std::string& path) {
    return path + ".before-orphan-reaper";
}

}  // namespace reaper::agent
