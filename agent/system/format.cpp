#include "agent/system/format.hpp"

#include <algorithm>
#include <array>
#include <ctime>

#include <fmt/format.h>

namespace reaper::agent {

std::string count_text(std::size_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string size_text(std::uint64_t bytes) {
    constexpr double kStep = 1024;
    constexpr std::array<std::string_view, 4> kUnits = {"KB", "MB", "GB", "TB"};
    double size = static_cast<double>(bytes) / kStep;
    std::size_t unit = 0;
    while (size >= 999.5 && unit + 1 < kUnits.size()) {
        size /= kStep;
        ++unit;
    }
    return unit >= 2 && size < 99.5 ? fmt::format("{:.1f} {}", size, kUnits[unit])
                                    : fmt::format("{:.0f} {}", size, kUnits[unit]);
}

std::string age_text(std::uint64_t seconds) {
    const std::uint64_t minutes = seconds / 60;
    const std::uint64_t hours = minutes / 60;
    if (minutes == 0) return fmt::format("{}s", seconds);
    if (hours == 0) return fmt::format("{}m", minutes);
    if (hours < 24) return fmt::format("{}h {}m", hours, minutes % 60);
    return fmt::format("{}d {}h", hours / 24, hours % 24);
}

std::string took_text(std::chrono::microseconds took) {
    const double milliseconds = static_cast<double>(took.count()) / 1000;
    if (milliseconds < 999.5) return fmt::format("{:.0f} ms", milliseconds);
    if (milliseconds < 119'500) return fmt::format("{:.3g} s", milliseconds / 1000);
    return fmt::format("{:.3g} min", milliseconds / 60'000);
}

std::string time_text(double epoch) {
    constexpr double kYear10000 = 253402300800;
    if (!(epoch >= 0 && epoch < kYear10000)) return "unknown";
    const auto seconds = static_cast<std::time_t>(epoch);
    std::tm parts{};
    if (gmtime_r(&seconds, &parts) == nullptr) return "unknown";
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900,
                       parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::string home_text(std::string_view home, std::string_view user) {
    const std::string usual = user == "root" ? "/root" : fmt::format("/home/{}", user);
    const bool inside = !user.empty() && home.substr(0, usual.size()) == usual &&
                        (home.size() == usual.size() || home[usual.size()] == '/');
    return inside ? fmt::format("~{}", home.substr(usual.size())) : std::string(home);
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
    std::vector<std::string> lines(1);
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (word.empty()) continue;
        if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width)
            lines.emplace_back();
        if (!lines.back().empty()) lines.back() += ' ';
        lines.back() += word;
    }
    return lines;
}

}  // namespace reaper::agent
