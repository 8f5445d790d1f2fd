#include "agent/schedule/unit_state.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

#include "agent/cli/option_table.hpp"
#include "scanner/model/number.hpp"

namespace reaper::agent {

namespace {

struct Unit {
    std::string_view name;
    double seconds;
};
// As systemd writes them; a month and a year are those of its own arithmetic.
constexpr std::array<Unit, 9> kUnits = {{{"us", 1e-6},
                                         {"ms", 1e-3},
                                         {"s", 1},
                                         {"min", 60},
                                         {"h", 3600},
                                         {"d", 86400},
                                         {"w", 604800},
                                         {"month", 2629800},
                                         {"y", 31557600}}};

std::optional<double> seconds_of(std::string_view word) {
    double number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    const std::string_view name = word.substr(static_cast<std::size_t>(end - word.data()));
    const auto unit = std::ranges::find(kUnits, name, &Unit::name);
    if (error != std::errc() || unit == kUnits.end()) return std::nullopt;
    return number * unit->seconds;
}

// Three numbers with that between them.
std::optional<std::array<unsigned, 3>> three_numbers(std::string_view text, char between) {
    std::array<unsigned, 3> numbers{};
    for (unsigned& number : numbers) {
        const std::string_view word = text.substr(0, text.find(between));
        const auto parsed = scanner::to_number<unsigned>(word);
        if (!parsed) return std::nullopt;
        number = *parsed;
        text.remove_prefix(std::min(word.size() + 1, text.size()));
    }
    return text.empty() ? std::optional(numbers) : std::nullopt;
}

void take(UnitState& unit, std::string_view name, std::string_view value) {
    if (name == "Id") unit.name = value;
    if (name == "LoadState") unit.load = value;
    if (name == "FragmentPath") unit.path = value;
    if (name == "UnitFileState") unit.enabled = value;
    if (name == "ActiveState") unit.active = value;
    if (name == "Result") unit.result = value;
    if (name == "ExecStart") unit.command = command_of_unit(value);
    if (name == "ExecMainStatus") unit.exit_status = scanner::to_number<int>(value);
    if (name == "ExecMainExitTimestamp") unit.ended = parse_manager_time(value);
    if (name == "LastTriggerUSec") unit.last = parse_manager_time(value);
    if (name == "NextElapseUSecRealtime") unit.next = parse_manager_time(value);
    if (name == "NextElapseUSecMonotonic") unit.next_after = parse_manager_span(value);
    if (name == "NeedDaemonReload") unit.must_reload = value == "yes";
}

}  // namespace

std::string_view command_of_unit(std::string_view exec_start) {
    constexpr std::string_view kName = "argv[]=";
    const std::size_t begin = exec_start.find(kName);
    if (begin == std::string_view::npos) return {};
    exec_start.remove_prefix(begin + kName.size());
    return exec_start.substr(0, exec_start.find(" ; "));
}

std::vector<UnitState> units_of(std::string_view text) {
    std::vector<UnitState> units;
    bool inside = false;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (!line.empty() && !inside) units.emplace_back();
        inside = !line.empty();
        const std::size_t equals = line.find('=');
        if (equals != std::string_view::npos)
            take(units.back(), line.substr(0, equals), line.substr(equals + 1));
    }
    return units;
}

std::optional<double> parse_manager_time(std::string_view text) {
    const auto words = split_words(text);
    if (words.size() != 4 || words[3] != "UTC") return std::nullopt;
    const auto date = three_numbers(words[1], '-');
    const auto time = three_numbers(words[2], ':');
    if (!date || !time) return std::nullopt;
    using namespace std::chrono;
    const year_month_day day{year(static_cast<int>((*date)[0])), month((*date)[1]),
                             std::chrono::day((*date)[2])};
    if (!day.ok()) return std::nullopt;
    const auto moment =
        sys_days(day) + hours((*time)[0]) + minutes((*time)[1]) + seconds((*time)[2]);
    return static_cast<double>(moment.time_since_epoch() / seconds(1));
}

std::optional<double> parse_manager_span(std::string_view text) {
    if (text.empty()) return std::nullopt;
    double sum = 0;
    for (const std::string_view word : split_words(text)) {
        const auto part = seconds_of(word);
        if (!part) return std::nullopt;
        sum += *part;
    }
    return sum;
}

}  // namespace reaper::agent
