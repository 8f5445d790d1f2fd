#include <concepts>
#include <type_traits>
#include <utility>

#include <nlohmann/json.hpp>

#include "scanner/json/bytes.hpp"
#include "scanner/json/facts_json.hpp"
#include "scanner/json/fields.hpp"
#include "scanner/json/strict_json.hpp"

namespace reaper::scanner {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kDeepest = 16;  // twice what the facts need

// Every read() returns false at the first mistake; where() then tells the field and what was
// expected there.
class Reader {
   public:
    bool read(const Json& from, std::string& bytes) {
        if (from.is_string()) return bytes = from.get_ref<const std::string&>(), true;
        const bool marked = from.is_object() && from.size() == 1 && from.contains("bytes") &&
                            from["bytes"].is_string();
        const auto decoded =
            marked ? json::from_hex(from["bytes"].get_ref<const std::string&>()) : std::nullopt;
        if (!decoded) return expected("a string, or {\"bytes\": hexadecimal digits}");
        bytes = *decoded;
        return true;
    }

    bool read(const Json& from, char& letter) {
        std::string text;
        if (!read(from, text) || text.size() != 1) return expected("one letter");
        letter = text.front();
        return true;
    }

    bool read(const Json& from, bool& value) {
        if (!from.is_boolean()) return expected("true or false");
        value = from.get<bool>();
        return true;
    }

    bool read(const Json& from, double& value) {
        if (!from.is_number()) return expected("a number");
        value = from.get<double>();
        return true;
    }

    template <std::integral T>
    bool read(const Json& from, T& value) {
        // Numbers without a sign come as unsigned; numbers beyond 64 bits come as reals.
        const bool fits =
            from.is_number_unsigned()
                ? std::in_range<T>(from.get<std::uint64_t>())
                : from.is_number_integer() && std::in_range<T>(from.get<std::int64_t>());
        if (!fits) return expected("a whole number in range");
        value = from.get<T>();
        return true;
    }

    template <class T>
        requires std::is_enum_v<T>
    bool read(const Json& from, T& value) {
        const auto& names = json::NamesOf<T>::kList;
        for (std::size_t at = 0; from.is_string() && at < names.size(); ++at) {
            if (from.get_ref<const std::string&>() == names[at])
                return value = static_cast<T>(at), true;
        }
        return expected("one of the known words");
    }

    template <class T>
    bool read(const Json& from, std::optional<T>& value) {
        return from.is_null() || read(from, value.emplace());
    }

    template <class T>
    bool read(const Json& from, std::vector<T>& values) {
        if (!from.is_array()) return expected("a list");
        for (std::size_t at = 0; at < from.size(); ++at) {
            if (!read_at("[" + std::to_string(at) + "]", from[at], values.emplace_back()))
                return false;
        }
        return true;
    }

    bool read(const Json& from, std::map<std::string, std::string>& values) {
        if (!from.is_array()) return expected("a list");
        for (std::size_t at = 0; at < from.size(); ++at) {
            const std::size_t length = path_.size();
            path_ += "[" + std::to_string(at) + "]";
            if (!add_variable(from[at], values)) return false;
            path_.resize(length);
        }
        return true;
    }

    // Reads the access, and the value only if there is one.
    template <class T>
    bool read(const Json& from, Reading<T>& reading) {
        if (!from.is_object() || !from.contains("access"))
            return expected("an object with \"access\"");
        if (!read_at(".access", from["access"], reading.access)) return false;
        const bool has_value = from.contains("value");
        if (from.size() != (has_value ? 2U : 1U) || (reading.ok() && !has_value))
            return expected("\"access\" and \"value\"");
        return !has_value || read_at(".value", from["value"], reading.value);
    }

    template <json::IsRecord T>
    bool read(const Json& from, T& record) {
        if (!from.is_object()) return expected("an object");
        std::size_t count = 0;
        const auto read_one = [&](const auto& field) {
            if (field.optional && !from.contains(field.name)) return true;
            ++count;
            return read_field(from, field.name, record.*field.member);
        };
        const bool complete =
            std::apply([&](const auto&... field) { return (read_one(field) && ...); },
                       json::FieldsOf<T>::kList);
        return complete && (from.size() == count || expected("no other fields"));
    }

    // "candidates[3].row.pid: expected a whole number in range"
    [[nodiscard]] std::string where() const {
        const std::string_view path =
            path_.empty() ? std::string_view("all of it") : std::string_view(path_).substr(1);
        return std::string(path).append(" (expected ").append(expected_).append(")");
    }

   private:
    bool add_variable(const Json& from, std::map<std::string, std::string>& values) {
        std::string name;
        std::string value;
        if (!from.is_object() || from.size() != 2)
            return expected("an object with \"name\" and \"value\"");
        if (!read_field(from, "name", name) || !read_field(from, "value", value)) return false;
        return values.emplace(std::move(name), std::move(value)).second ||
               expected("each name once");
    }

    template <class T>
    bool read_field(const Json& from, std::string_view name, T& value) {
        const auto found = from.find(name);
        const std::string step = "." + std::string(name);
        if (found != from.end()) return read_at(step, *found, value);
        path_ += step;
        return expected("this field");
    }

    template <class T>
    bool read_at(const std::string& step, const Json& from, T& value) {
        const std::size_t length = path_.size();
        path_ += step;
        if (!read(from, value)) return false;
        path_.resize(length);
        return true;
    }

    bool expected(std::string_view what) {
        expected_ = what;
        return false;
    }

    std::string path_;
    std::string_view expected_;
};

}  // namespace

Result<Record> facts_from_json(std::string_view text) {
    if (text.size() > kLargestFacts) return failure(std::errc::file_too_large, "read", "the facts");
    auto tree = json::parse_strictly(text, kDeepest);
    if (!tree) return tl::unexpected(tree.error());
    const auto schema = tree->is_object() ? tree->find("schema") : tree->end();
    const bool known = schema != tree->end() && *schema == kFactsSchema;
    if (!known)
        return failure(std::errc::invalid_argument, "understand",
                       "\"schema\" (expected \"orphan-reaper/facts/1\")");
    tree->erase(schema);
    Record record;
    Reader reader;
    if (!reader.read(*tree, record))
        return failure(std::errc::invalid_argument, "understand", reader.where());
    return record;
}

}  // namespace reaper::scanner
