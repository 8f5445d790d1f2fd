// Parses what managers and crontabs say. Pure: the same on every system.
#include <algorithm>
#include <span>

#include "agent/cli/option_table.hpp"
#include "agent/doctor/schedule_state.hpp"
#include "agent/schedule/unit_state.hpp"
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

std::string_view name_in(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

bool is_assignment(std::string_view word) {
    return word.substr(0, word.find('=')).find('/') == std::string_view::npos &&
           word.find('=') != std::string_view::npos;
}

using Words = std::span<const std::string_view>;

// "nice -n 10 ionice -c3 PROGRAM ..."
Words without_nice(Words words) {
    while (!words.empty() && (name_in(words[0]) == "nice" || name_in(words[0]) == "ionice")) {
        words = words.subspan(1);
        while (!words.empty() && words[0].starts_with('-')) {
            const bool has_value = words[0] == "-n" || words[0] == "-c";
            words = words.subspan(std::min<std::size_t>(has_value ? 2 : 1, words.size()));
        }
    }
    return words;
}

// From the program on, where that is this one. What other programs and shells make of their words
// is not known.
Words words_of_this_program(Words words) {
    while (!words.empty() && is_assignment(words[0])) words = words.subspan(1);
    words = without_nice(words);
    return !words.empty() && name_in(words[0]) == "orphan-reaper" ? words : Words();
}

// Whether it is a command that ends what leaked: the first word that is one says which.
bool acts(Words words) {
    const auto is_command = [](std::string_view word) {
        return std::ranges::find(command_table(), word, &CommandInfo::name) !=
               command_table().end();
    };
    const auto only_reports = [](std::string_view word) {
        return word == "--dry-run" || word == "--report-only";
    };
    const auto command = std::ranges::find_if(words, is_command);
    return command != words.end() &&
           (*command == "sweep" || *command == "watch" || *command == "preflight") &&
           std::ranges::none_of(words, only_reports);
}

// The value of a line "PATH=..." of a crontab; none: it is no such line.
std::optional<std::string> path_in(std::string_view line) {
    const std::string_view name = take_until(line, '=');
    const auto words = fields_of(name);
    if (words.size() != 1 || words[0] != "PATH") return std::nullopt;
    line.remove_prefix(std::min(line.find_first_not_of(" \t\"'"), line.size()));
    return std::string(line.substr(0, line.find_last_not_of(" \t\"'") + 1));
}

bool sweeps(std::string_view command) {
    const auto words = fields_of(command);
    return acts(words_of_this_program(words));
}

void set_property(ScheduledUnit& unit, std::string_view name, std::string_view value,
                  std::uint64_t now) {
    if (name == "Id") unit.name = value;
    if (name == "LoadState") unit.load = value;
    if (name == "ActiveState") unit.active = value;
    if (name == "Result") unit.result = value;
    if (name == "Unit") unit.starts = value;
    if (name == "ExecStart") unit.sweeps = unit.sweeps || sweeps(command_of_unit(value));
    if (name == "ExecMainStatus") unit.exit_status = scanner::to_number<int>(value);
    if (name != "ExecMainExitTimestampMonotonic") return;
    const auto ended = scanner::to_number<std::uint64_t>(value);
    if (ended && *ended > 0 && *ended <= now)
        unit.seconds_since_end = (now - *ended) / kMicroseconds;
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
    std::string path = "/usr/bin:/bin";
    while (!text.empty()) {
        const std::string_view line = take_until(text, '\n');
        const auto fields = fields_of(line);
        if (fields.empty() || fields.front().starts_with('#')) continue;
        path = path_in(line).value_or(path);
        const std::size_t times = fields.front().starts_with('@') ? 1 : 5;
        const bool is_other =
            has_users && !user.empty() && (fields.size() <= times || fields[times] != user);
        const std::size_t first = std::min(times + (has_users ? 1 : 0), fields.size());
        const Words words = words_of_this_program(Words(fields).subspan(first));
        if (!is_other && acts(words))
            lines.push_back({file, std::string(line), std::string(words[0]), path});
    }
    return lines;
}

}  // namespace reaper::agent
