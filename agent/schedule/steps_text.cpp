#include <fmt/format.h>

#include "agent/reaping/command.hpp"
#include "agent/schedule/carry_out.hpp"

namespace reaper::agent {

namespace {

std::string indented(std::string_view text) {
    std::string lines;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        lines += fmt::format("{}{}\n", line.empty() ? "" : "    ", line);
    }
    return lines;
}

std::string step_text(const ScheduleStep& step) {
    switch (step.kind) {
        case ScheduleStep::Kind::write_file:
            return fmt::format("write {}\n{}", step.path, indented(step.text));
        case ScheduleStep::Kind::remove_file: return fmt::format("remove {}\n", step.path);
        case ScheduleStep::Kind::run: break;
    }
    return fmt::format("run {}\n{}", typed(step.argv), indented(step.text));
}

}  // namespace

std::string steps_text(const std::vector<ScheduleStep>& steps) {
    std::string text;
    for (const ScheduleStep& step : steps) text += step_text(step);
    return text.empty() ? "nothing is to be done\n" : text;
}

}  // namespace reaper::agent
