#include "scanner/package_json.hpp"

#include <nlohmann/json.hpp>

namespace reaper::scanner {

Result<std::optional<std::string>> parse_package_name(std::string_view text) {
    const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object()) return failure(std::errc::invalid_argument, "parse", "package.json");
    const auto name = json.find("name");
    if (name == json.end()) return std::nullopt;
    if (!name->is_string()) return failure(std::errc::invalid_argument, "parse the name in", "package.json");
    return name->get<std::string>();
}

}  // namespace reaper::scanner
