#include "scanner/parse/proc_io.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "scanner/model/number.hpp"

namespace reaper::scanner {

namespace {

constexpr std::array<std::string_view, 4> kNames = {
    "rchar: ", "wchar: ", "read_bytes: ", "write_bytes: "};

using Values = std::array<std::optional<std::uint64_t>, kNames.size()>;

bool parse_line(std::string_view line, Values& values) {
    for (std::size_t i = 0; i < kNames.size(); ++i) {
        if (!line.starts_with(kNames[i])) continue;
        if (values[i]) return false;
        values[i] = to_number<std::uint64_t>(line.substr(kNames[i].size()));
        return values[i].has_value();
    }
    return true;
}

std::uint64_t sum(std::uint64_t left, std::uint64_t right) {
    const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - left;
    return left + std::min(right, room);
}

}  // namespace

Result<ProcIo> parse_io(std::string_view text) {
    Values values;
    bool good = true;
    while (good && !text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        good = parse_line(line, values);
        text.remove_prefix(std::min(line.size() + 1, text.size()));
    }
    const bool complete =
        std::ranges::all_of(values, [](const auto& value) { return value.has_value(); });
    if (!good || !complete) {
        return failure(std::errc::invalid_argument, "parse", "io");
    }
    return ProcIo{sum(*values[0], *values[1]), sum(*values[2], *values[3])};
}

}  // namespace reaper::scanner
