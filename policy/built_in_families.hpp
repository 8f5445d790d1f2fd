// The texts of policy/families/*.json, as compiled in.
#pragma once

#include <span>
#include <string_view>

namespace reaper::policy {

struct FamilyText {
    std::string_view file;
    std::string_view text;
};

[[nodiscard]] std::span<const FamilyText> built_in_families();

}  // namespace reaper::policy
