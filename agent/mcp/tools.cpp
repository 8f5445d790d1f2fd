#include "agent/mcp/tools.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "policy/text/escape.hpp"

namespace reaper::agent {

namespace {

using policy::escape;

constexpr std::string_view kPlace = "#/$defs/";

// Puts the definitions into the place of what refers to them: the file has no circles.
Json resolve(const Json& value, const Json& definitions) {
    if (value.is_object() && value.contains("$ref")) {
        const std::string name = value["$ref"].get<std::string>().substr(kPlace.size());
        return resolve(definitions.at(name), definitions);
    }
    Json resolved = value;
    if (value.is_structured()) {
        for (Json& part : resolved) part = resolve(part, definitions);
    }
    return resolved;
}

bool has_type(std::string_view type, const Json& value) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "integer") return value.is_number_integer();
    return type == "boolean" && value.is_boolean();
}

std::string find_wrong_member(const Json& schema, const Json& value, const std::string& name) {
    const Json& properties = member_of(schema, "properties");
    for (const Json& wanted : member_of(schema, "required")) {
        if (!value.contains(wanted.get<std::string>()))
            return fmt::format("{}: '{}' is missing", name, wanted.get<std::string>());
    }
    for (const auto& [key, part] : value.items()) {
        if (!properties.contains(key))
            return fmt::format("{}: '{}' is not known", name, escape(key, 60));
        std::string wrong = find_mismatch(properties[key], part, key);
        if (!wrong.empty()) return wrong;
    }
    return {};
}

std::string find_wrong_item(const Json& schema, const Json& value, const std::string& name) {
    if (schema.contains("maxItems") && value.size() > schema["maxItems"].get<std::size_t>())
        return fmt::format("{}: more than {}", name, schema["maxItems"].get<std::size_t>());
    for (const Json& item : value) {
        std::string wrong = find_mismatch(schema["items"], item, name);
        if (!wrong.empty()) return wrong;
    }
    return {};
}

// A number that does not fit into 64 bits is none of the type integer.
std::string find_wrong_number(const Json& schema, const Json& value, const std::string& name) {
    const bool below = schema.contains("minimum") && value < schema["minimum"];
    const bool above = schema.contains("maximum") && value > schema["maximum"];
    return below || above ? fmt::format("{}: {} is out of range", name, json_text(value)) : "";
}

std::string find_wrong_text(const Json& schema, const Json& value, const std::string& name) {
    const auto& text = value.get_ref<const std::string&>();
    if (schema.contains("maxLength") && text.size() > schema["maxLength"].get<std::size_t>())
        return fmt::format("{}: longer than {}", name, schema["maxLength"].get<std::size_t>());
    const Json& choices = member_of(schema, "enum");
    if (choices.is_null() || std::ranges::find(choices, value) != choices.end()) return {};
    return fmt::format("{}: '{}' is none of {}", name, escape(text, 60), json_text(choices));
}

}  // namespace

Json list_tools(bool with_sweep) {
    const Json file = Json::parse(tools_text());
    Json tools = Json::array();
    for (const Json& tool : file["tools"]) {
        if (with_sweep || tool["name"] != "sweep") tools.push_back(resolve(tool, file["$defs"]));
    }
    return tools;
}

std::string find_mismatch(const Json& schema, const Json& value, const std::string& name) {
    const std::string type = text_member(schema, "type");
    if (!has_type(type, value)) return fmt::format("{}: expected type {}", name, type);
    if (value.is_object()) return find_wrong_member(schema, value, name);
    if (value.is_array()) return find_wrong_item(schema, value, name);
    if (value.is_number()) return find_wrong_number(schema, value, name);
    return value.is_string() ? find_wrong_text(schema, value, name) : "";
}

}  // namespace reaper::agent
