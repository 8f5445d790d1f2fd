// Parses what managers and crontabs say. Pure: the same on every system.
#include <algorithm>

#include "agent/doctor/schedule_state.hpp"
#include "scanner/model/number.hpp"

namespace reaper::agent {

namespace {

constexpr std::uint64_t kMicroseconds = 1'000'000;

// Takes the text up to `end` off, and that character with it.
std::string_view take_until(std::string_view& text, char end) {
    const std::string_view part = text.substr(0, text.find(end));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    return part;
}

std::vector<std::string_view> fields_of(std::string_view line) {
    std::vector<std::string_view> fields;
    for (;;) {
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        if (line.empty()) return fields;
        fields.push_back(line.substr(0, line.find_first_of(" \t")));
        line.remove_prefix(fields.back().size());
    }
}

void set_property(ScheduledUnit& unit, std::string_view name, std::string_view value,
                  std::uint64_t now) {
    if (name == "Id") unit.name = value;
    if (name == "LoadState") unit.load = value;
    if (name == "ActiveState") unit.active = value;
    if (name == "Result") unit.result = value;
    if (name == "ExecMainStatus") unit.exit_status = scanner::to_number<int>(value);
    if (name != "ExecMainExitTimestampMonotonic") return;
    const auto ended = scanner::to_number<std::uint64_t>(value);
    if (ended && *ended > 0 && *ended <= now)
        unit.seconds_since_end = (now - *ended) / kMicroseconds;
}

bool is_this_program(std::string_view word) {
    return word.substr(word.rfind('/') + 1) == "orphan-reaper";
}

// "orphan-reaper sweep", by any path, after whatever stands before it.
bool sweeps(const std::vector<std::string_view>& fields, std::size_t first) {
    if (fields.size() <= first) return false;
    const auto begin = fields.begin() + static_cast<std::ptrdiff_t>(first);
    const auto program = std::find_if(begin, fields.end(), is_this_program);
    const auto acts = [](std::string_view word) {
        return word == "sweep" || word == "watch" || word == "preflight";
    };
    const auto only_reports = [](std::string_view word) {
        return word == "--dry-run" || word == "--report-only";
    };
    return std::any_of(program, fields.end(), acts) &&
           std::none_of(program, fields.end(), only_reports);
}

}  // namespace

std::vector<ScheduledUnit> parse_units(std::string_view text, bool of_user_manager,
                                       std::uint64_t now) {
    std::vector<ScheduledUnit> units;
    bool begins = true;
    while (!text.empty()) {
        std::string_view line = take_until(text, '\n');
        if (line.empty()) {
            begins = true;
            continue;
        }
        if (begins) units.emplace_back().of_user_manager = of_user_manager;
        begins = false;
        const std::string_view name = take_until(line, '=');
        set_property(units.back(), name, line, now);
    }
    return units;
}

std::vector<CronLine> parse_crontab(std::string_view text, const std::string& file, bool has_users,
                                    std::string_view user) {
    std::vector<CronLine> lines;
    while (!text.empty()) {
        const std::string_view line = take_until(text, '\n');
        const auto fields = fields_of(line);
        if (fields.empty() || fields.front().starts_with('#')) continue;
        const std::size_t times = fields.front().starts_with('@') ? 1 : 5;
        const bool is_other =
            has_users && !user.empty() && (fields.size() <= times || fields[times] != user);
        if (is_other || !sweeps(fields, times + (has_users ? 1 : 0))) continue;
        lines.push_back({file, std::string(line)});
    }
    return lines;
}

}  // namespace reaper::agent
