#include <type_traits>

#include <nlohmann/json.hpp>

#include "scanner/json/bytes.hpp"
#include "scanner/json/facts_json.hpp"
#include "scanner/json/fields.hpp"

namespace reaper::scanner {

namespace {

using Json = nlohmann::ordered_json;

// Static members of a class see each other in any order, and the types nest both ways.
class Writer {
   public:
    static Json write(const std::string& bytes) {
        if (json::is_utf8(bytes)) return bytes;
        return {{"bytes", json::to_hex(bytes)}};
    }

    static Json write(char letter) { return write(std::string(1, letter)); }

    template <class T>
        requires std::is_arithmetic_v<T>
    static Json write(T number) {
        return number;
    }

    template <class T>
        requires std::is_enum_v<T>
    static Json write(T value) {
        return json::NamesOf<T>::kList.at(static_cast<std::size_t>(value));
    }

    template <class T>
    static Json write(const std::optional<T>& value) {
        return value ? write(*value) : Json(nullptr);
    }

    template <class T>
    static Json write(const std::vector<T>& values) {
        Json list = Json::array();
        for (const T& value : values) list.push_back(write(value));
        return list;
    }

    // Names may be bytes, too, so a map is written as a list of pairs.
    static Json write(const std::map<std::string, std::string>& values) {
        Json list = Json::array();
        for (const auto& [name, value] : values)
            list.push_back({{"name", write(name)}, {"value", write(value)}});
        return list;
    }

    template <class T>
    static Json write(const Reading<T>& reading) {
        Json object = {{"access", write(reading.access)}};
        if (reading.ok() || reading.value != T{}) object["value"] = write(reading.value);
        return object;
    }

    template <json::IsRecord T>
    static Json write(const T& record) {
        Json object = Json::object();
        const auto write_one = [&](const auto& field) {
            const auto& value = record.*field.member;
            const bool told = !field.optional || value != std::remove_cvref_t<decltype(value)>{};
            if (told) object[std::string(field.name)] = write(value);
        };
        std::apply([&](const auto&... field) { (write_one(field), ...); },
                   json::FieldsOf<T>::kList);
        return object;
    }
};

}  // namespace

std::string facts_to_json(const Record& record) {
    Json object = {{"schema", kFactsSchema}};
    object.update(Writer::write(record));
    return object.dump(1, ' ', /*ensure_ascii=*/true) + "\n";
}

}  // namespace reaper::scanner
