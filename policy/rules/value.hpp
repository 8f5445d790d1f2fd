// Reads typed values from the JSON of a rule file. If a value is not as expected, a reader
// complains and leaves its target unchanged. Only the first complaint counts; it tells where the
// value is.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "policy/rules/json_text.hpp"

namespace reaper::policy {

// The text of a file, and the first mistake in it.
struct RuleText {
    std::string_view origin;
    std::string_view text;
    const std::map<std::string, std::size_t>& offsets;  // as JsonText has them
    std::string mistake;                                // "rules.json:3:14: ..."; empty: none

    void complain(const std::string& pointer, const std::string& what);
};

// One value in the text.
class RuleValue {
   public:
    using Reader = std::function<void(const RuleValue&)>;
    using Members = std::map<std::string, Reader, std::less<>>;

    RuleValue(RuleText& text, const nlohmann::ordered_json& value, std::string pointer)
        : text_(&text), value_(&value), pointer_(std::move(pointer)) {}

    // Reads every member with its reader, in the order of their names. An unknown member is a
    // mistake.
    void members(const Members& readers) const;
    // Reads every member, whatever its key, in the order of the text.
    void each_member(
        const std::function<void(const std::string& key, const RuleValue&)>& reader) const;
    // Reads every element of a list. False, with a complaint: this is no list.
    bool each_element(const Reader& reader) const;

    void complain(const std::string& what) const { text_->complain(pointer_, what); }
    // Complains that something else was found.
    void expect(std::string_view what) const;
    [[nodiscard]] bool has(const char* key) const {
        return value_->is_object() && value_->contains(key);
    }
    [[nodiscard]] const nlohmann::ordered_json& json() const { return *value_; }

   private:
    void reject(const std::string& key, const Members& readers) const;

    RuleText* text_;
    const nlohmann::ordered_json* value_;
    std::string pointer_;
};

void read(const RuleValue& value, bool& target);
void read(const RuleValue& value, std::string& target);
void read(const RuleValue& value, std::chrono::milliseconds& target);
void read(const RuleValue& value, std::uint16_t& target);  // a port

// Replaces the whole list.
template <class T>
void read(const RuleValue& value, std::vector<T>& target) {
    std::vector<T> items;
    const bool is_list = value.each_element([&items](const RuleValue& element) {
        T item{};
        read(element, item);
        items.push_back(std::move(item));
    });
    if (is_list) target = std::move(items);
}

// Returns a reader for one field of a struct.
template <class T>
RuleValue::Reader into(T& target) {
    return [&target](const RuleValue& value) { read(value, target); };
}

}  // namespace reaper::policy
