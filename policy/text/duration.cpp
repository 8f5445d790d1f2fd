#include "policy/text/duration.hpp"

#include <charconv>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "policy/text/escape.hpp"

namespace reaper::policy {

namespace {

constexpr std::int64_t kDay = std::int64_t{24} * 60 * 60 * 1000;
constexpr std::int64_t kLongest = 3650 * kDay;

struct Unit {
    std::string_view name;
    std::int64_t milliseconds;
};
constexpr Unit kUnits[] = {
    {"d", kDay}, {"h", 60 * 60 * 1000}, {"m", 60 * 1000}, {"s", 1000}, {"ms", 1}};

std::optional<std::int64_t> milliseconds_of(std::string_view unit) {
    for (const Unit& known : kUnits) {
        if (known.name == unit) return known.milliseconds;
    }
    return std::nullopt;
}

tl::unexpected<std::string> wrong(std::string_view text, std::string_view why) {
    return tl::unexpected(fmt::format("{}: {}", escape(text, 40), why));
}

}  // namespace

tl::expected<std::chrono::milliseconds, std::string> parse_duration(std::string_view text) {
    constexpr std::string_view kExpected = "expected a duration such as 500ms, 30s, 5m, 2h or 7d";
    if (text.empty()) return tl::unexpected(fmt::format("empty: {}", kExpected));
    std::int64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error == std::errc::result_out_of_range) return wrong(text, "too long; at most 3650d");
    if (error != std::errc()) return wrong(text, kExpected);
    if (text.starts_with('-')) return wrong(text, "a duration cannot be negative");
    const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
    if (unit.empty()) return wrong(text, fmt::format("a duration needs a unit: {}s", count));
    const auto factor = milliseconds_of(unit);
    if (!factor) return wrong(text, kExpected);
    if (count > kLongest / *factor) return wrong(text, "too long; at most 3650d");
    return std::chrono::milliseconds(count * *factor);
}

std::string duration_text(std::chrono::milliseconds duration) {
    const std::int64_t count = duration.count();
    for (const Unit& unit : kUnits) {
        if (count != 0 && count % unit.milliseconds == 0)
            return fmt::format("{}{}", count / unit.milliseconds, unit.name);
    }
    return "0s";
}

}  // namespace reaper::policy
