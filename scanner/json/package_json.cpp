#include "scanner/json/package_json.hpp"

#include "scanner/json/text_at.hpp"

namespace reaper::scanner {

Result<std::optional<std::string>> parse_package_name(std::string_view text) {
    constexpr std::string_view kName[] = {"name"};
    return json::text_at(text, kName);
}

}  // namespace reaper::scanner
