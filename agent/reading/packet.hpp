// Values as bytes, from one process of this program to another one: the facts by the same list of
// fields that their file is written by, everything else by its members.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "scanner/json/fields.hpp"
#include "scanner/model/result.hpp"

namespace reaper::agent {

template <class T, class Plain>
concept Is = std::same_as<std::remove_const_t<T>, Plain>;

// Specialised beside a struct that travels: std::tie of all of its members. A structured binding
// there does not compile with one missing.
template <class T>
struct MembersOf;

template <class T>
concept HasMembers = requires(T& value) { MembersOf<T>::tie(value); };
template <class T>
concept IsNumber = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class Packer {
   public:
    template <IsNumber T>
    void put(T value) {
        bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    void put(const std::string& text) {
        put(text.size());
        bytes_ += text;
    }
    template <class T>
    void put(const std::vector<T>& values) {
        put_all(values);
    }
    template <class T>
    void put(const std::set<T>& values) {
        put_all(values);
    }
    template <class Key, class T>
    void put(const std::map<Key, T>& values) {
        put_all(values);
    }
    template <class First, class Second>
    void put(const std::pair<First, Second>& pair) {
        put(pair.first);
        put(pair.second);
    }
    template <class T>
    void put(const std::optional<T>& value) {
        put(value.has_value());
        if (value) put(*value);
    }
    template <class T, class E>
    void put(const tl::expected<T, E>& value) {
        put(value.has_value());
        if (!value) return put(value.error());
        if constexpr (!std::is_void_v<T>) put(*value);
    }
    void put(const Error& error) {
        put(error.code.value());
        put(error.operation);
        put(error.subject);
    }
    template <class T>
    void put(const scanner::Reading<T>& reading) {
        put(reading.access);
        put(reading.value);
    }
    template <scanner::json::IsRecord T>
    void put(const T& record) {
        std::apply([&](const auto&... field) { (put(record.*field.member), ...); },
                   scanner::json::FieldsOf<T>::kList);
    }
    template <HasMembers T>
    void put(const T& record) {
        std::apply([&](const auto&... member) { (put(member), ...); }, MembersOf<T>::tie(record));
    }

    [[nodiscard]] std::string take() && { return std::move(bytes_); }

   private:
    template <class Values>
    void put_all(const Values& values) {
        put(values.size());
        for (const auto& value : values) put(value);
    }

    std::string bytes_;
};

// Every get() is false where the bytes end too early; then the values are not to be used.
class Unpacker {
   public:
    explicit Unpacker(std::string_view bytes) : rest_(bytes) {}

    [[nodiscard]] bool is_at_end() const { return rest_.empty(); }

    template <IsNumber T>
    [[nodiscard]] bool get(T& value) {
        if (rest_.size() < sizeof value) return false;
        std::memcpy(&value, rest_.data(), sizeof value);
        rest_.remove_prefix(sizeof value);
        return true;
    }
    [[nodiscard]] bool get(std::string& text) {
        std::size_t size = 0;
        if (!get(size) || rest_.size() < size) return false;
        text.assign(rest_.substr(0, size));
        rest_.remove_prefix(size);
        return true;
    }
    template <class T>
    [[nodiscard]] bool get(std::vector<T>& values) {
        return get_all<T>([&](T value) { values.push_back(std::move(value)); });
    }
    template <class T>
    [[nodiscard]] bool get(std::set<T>& values) {
        return get_all<T>([&](T value) { values.insert(values.end(), std::move(value)); });
    }
    template <class Key, class T>
    [[nodiscard]] bool get(std::map<Key, T>& values) {
        return get_all<std::pair<Key, T>>(
            [&](std::pair<Key, T> value) { values.insert(std::move(value)); });
    }
    template <class First, class Second>
    [[nodiscard]] bool get(std::pair<First, Second>& pair) {
        return get(pair.first) && get(pair.second);
    }
    template <class T>
    [[nodiscard]] bool get(std::optional<T>& value) {
        bool has_value = false;
        return get(has_value) && (!has_value || get(value.emplace()));
    }
    template <class T, class E>
    [[nodiscard]] bool get(tl::expected<T, E>& value) {
        bool has_value = false;
        if (!get(has_value)) return false;
        if (!has_value) {
            E error;
            const bool got = get(error);
            value = tl::unexpected(std::move(error));
            return got;
        }
        if constexpr (std::is_void_v<T>) {
            value = {};
            return true;
        } else {
            value.emplace();
            return get(*value);
        }
    }
    [[nodiscard]] bool get(Error& error) {
        int code = 0;
        if (!get(code) || !get(error.operation) || !get(error.subject)) return false;
        error.code = std::error_code(code, std::generic_category());
        return true;
    }
    template <class T>
    [[nodiscard]] bool get(scanner::Reading<T>& reading) {
        return get(reading.access) && get(reading.value);
    }
    template <scanner::json::IsRecord T>
    [[nodiscard]] bool get(T& record) {
        return std::apply([&](const auto&... field) { return (get(record.*field.member) && ...); },
                          scanner::json::FieldsOf<T>::kList);
    }
    template <HasMembers T>
    [[nodiscard]] bool get(T& record) {
        return std::apply([&](auto&... member) { return (get(member) && ...); },
                          MembersOf<T>::tie(record));
    }

   private:
    template <class T, class Add>
    bool get_all(Add add) {
        std::size_t left = 0;
        if (!get(left)) return false;
        for (; left > 0; --left) {
            T value{};
            if (!get(value)) return false;
            add(std::move(value));
        }
        return true;
    }

    std::string_view rest_;
};

template <class T>
[[nodiscard]] std::string pack(const T& value) {
    Packer packer;
    packer.put(value);
    return std::move(packer).take();
}

// None: these are not the bytes of such a value.
template <class T>
[[nodiscard]] std::optional<T> unpack(std::string_view bytes) {
    Unpacker unpacker(bytes);
    std::optional<T> value(std::in_place);
    if (!unpacker.get(*value) || !unpacker.is_at_end()) value.reset();
    return value;
}

}  // namespace reaper::agent
