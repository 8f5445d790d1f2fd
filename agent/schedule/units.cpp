#include "agent/schedule/units.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "agent/schedule/parts.hpp"
#include "agent/schedule/templates.hpp"

namespace reaper::agent {

namespace {

constexpr std::string_view kProgramOfTemplate = "@CMAKE_INSTALL_FULL_BINDIR@/orphan-reaper";

// What makes a service of a command, and not how that is confined.
constexpr std::array<std::string_view, 9> kOfService = {
    "Type",           "ExecStart",
    "ExecReload",     "SuccessExitStatus",
    "Restart",        "RestartPreventExitStatus",
    "RestartSec",     "WatchdogSec",
    "TimeoutStartSec"};

std::string replace_all(std::string text, std::string_view what, std::string_view with) {
    for (std::size_t at = text.find(what); at != std::string::npos;
         at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
    return text;
}

std::string_view template_of(std::string_view name) {
    for (const UnitTemplate& one : unit_templates()) {
        if (one.name == name) return one.text;
    }
    return {};
}

bool is_confinement(std::string_view line) {
    const std::string_view name = line.substr(0, line.find('='));
    return !line.empty() && line.front() != '#' && name.size() < line.size() &&
           std::ranges::find(kOfService, name) == kOfService.end();
}

}  // namespace

std::string unit_text(std::string_view name, std::string_view program) {
    const std::string_view text = template_of(name);
    if (text.empty()) return {};
    return fmt::format("{}\n{}", kWrittenByInstall,
                       replace_all(std::string(text), kProgramOfTemplate, program));
}

std::vector<std::string> confinement_of(std::string_view name, std::string_view account) {
    std::vector<std::string> settings;
    std::string_view text = template_of(name);
    bool inside = false;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (line.starts_with('[')) inside = line == "[Service]";
        if (inside && is_confinement(line))
            settings.push_back(
                replace_all(replace_all(std::string(line), "%i", account), "%S", "/var/lib"));
    }
    return settings;
}

}  // namespace reaper::agent
