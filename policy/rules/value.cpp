#include "policy/rules/value.hpp"

#include <cmath>

#include <fmt/format.h>

#include "policy/text/duration.hpp"
#include "policy/text/escape.hpp"
#include "policy/text/nearest.hpp"

namespace reaper::policy {

using json = nlohmann::ordered_json;

void RuleText::complain(const std::string& pointer, const std::string& what) {
    if (!mistake.empty()) return;
    const auto found = offsets.find(pointer);
    mistake = fmt::format("{}:{}: {}", origin,
                          place_of(text, found == offsets.end() ? 0 : found->second), what);
}

void RuleValue::members(const Members& readers) const {
    each_member([&](const std::string& key, const RuleValue& member) {
        if (!readers.contains(key)) member.reject(key, readers);
    });
    for (const auto& [key, reader] : readers) {
        if (has(key.c_str()))
            reader(RuleValue(*text_, (*value_)[key], member_pointer(pointer_, key)));
    }
}

void RuleValue::each_member(
    const std::function<void(const std::string& key, const RuleValue&)>& reader) const {
    if (!value_->is_object()) return expect("an object, { ... }");
    for (const auto& [key, member] : value_->items()) {
        reader(key, RuleValue(*text_, member, member_pointer(pointer_, key)));
    }
}

bool RuleValue::each_element(const Reader& reader) const {
    if (!value_->is_array()) {
        expect("a list, [ ... ]");
        return false;
    }
    for (std::size_t at = 0; at < value_->size(); ++at) {
        reader(RuleValue(*text_, (*value_)[at], pointer_ + "/" + std::to_string(at)));
    }
    return true;
}

void RuleValue::expect(std::string_view what) const {
    complain(fmt::format("expected {}, found {}", what,
                         escape(value_->dump(-1, ' ', true, json::error_handler_t::replace), 40)));
}

void RuleValue::reject(const std::string& key, const Members& readers) const {
    std::vector<std::string_view> known;
    for (const auto& [name, reader] : readers) known.push_back(name);
    complain(fmt::format("\"{}\" is not known here{}", escape(key, 40), did_you_mean(key, known)));
}

void read(const RuleValue& value, bool& target) {
    if (value.json().is_boolean())
        target = value.json().get<bool>();
    else
        value.expect("true or false");
}

void read(const RuleValue& value, std::string& target) {
    if (value.json().is_string() && !value.json().get_ref<const std::string&>().empty())
        target = value.json().get<std::string>();
    else
        value.expect("a text that is not empty");
}

void read(const RuleValue& value, std::chrono::milliseconds& target) {
    if (!value.json().is_string()) return value.expect("a duration such as \"30s\"");
    const auto duration = parse_duration(value.json().get_ref<const std::string&>());
    if (duration)
        target = *duration;
    else
        value.complain(duration.error());
}

void read(const RuleValue& value, std::uint16_t& target) {
    const double port = value.json().is_number() ? value.json().get<double>()
                                                 : 0;  // 80 and 80.0 are the same in JSON
    if (port >= 1 && port <= 65535 && port == std::floor(port))
        target = static_cast<std::uint16_t>(port);
    else
        value.expect("a port from 1 to 65535");
}

}  // namespace reaper::policy
