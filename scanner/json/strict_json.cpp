#include "scanner/json/strict_json.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace reaper::scanner::json {

namespace {

using nlohmann::json;

// Finds duplicate names. The library keeps the last of several fields with one name, while a human
// reader may have seen the first.
class NamesSeen {
   public:
    void note(json::parse_event_t event, const json& parsed) {
        if (event == json::parse_event_t::object_start) open_.emplace_back();
        if (event == json::parse_event_t::object_end && !open_.empty()) open_.pop_back();
        if (event != json::parse_event_t::key || open_.empty() || !twice_.empty()) return;
        const auto& name = parsed.get_ref<const std::string&>();
        if (!open_.back().insert(name).second) twice_ = "'" + name + "'";
    }
    [[nodiscard]] const std::string& twice() const { return twice_; }

   private:
    std::vector<std::set<std::string>> open_;
    std::string twice_;
};

}  // namespace

// Checks the depth before anything is built, as a tree takes many times the memory of its text.
bool is_nested_deeper(std::string_view text, std::size_t deepest) {
    std::size_t depth = 0;
    bool in_string = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char letter = text[at];
        if (in_string && letter == '\\') {
            ++at;
        } else if (letter == '"') {
            in_string = !in_string;
        } else if (!in_string && (letter == '[' || letter == '{')) {
            if (++depth > deepest) return true;
        } else if (!in_string && (letter == ']' || letter == '}')) {
            depth -= std::min<std::size_t>(depth, 1);
        }
    }
    return false;
}

Result<json> parse_strictly(std::string_view text, std::size_t deepest) {
    constexpr auto kInvalid = std::errc::invalid_argument;
    if (is_nested_deeper(text, deepest))
        return failure(kInvalid, "understand", "the file (nested too deeply)");
    NamesSeen names;
    const auto note = [&names](int, json::parse_event_t event, json& parsed) {
        names.note(event, parsed);
        return true;
    };
    auto tree = json::parse(text, note, /*allow_exceptions=*/false);
    if (tree.is_discarded()) return failure(kInvalid, "understand", "the file (it is no JSON)");
    if (!names.twice().empty())
        return failure(kInvalid, "understand", names.twice() + ", which is there twice");
    return tree;
}

}  // namespace reaper::scanner::json
