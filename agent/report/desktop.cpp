#include "agent/report/desktop.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "agent/reaping/command.hpp"
#include "agent/report/text/process_line.hpp"
#include "agent/system/environment.hpp"
#include "agent/system/format.hpp"
#include "policy/text/escape.hpp"

namespace reaper::agent {

namespace {

constexpr std::chrono::seconds kPatience{1};
constexpr const char* kName = "org.freedesktop.Notifications";

bool was_ended_here(const ReportedProcess& process) {
    if (!process.outcome || process.outcome->respawned_as) return false;
    return process.outcome->result == OutcomeResult::ended_on_term ||
           process.outcome->result == OutcomeResult::ended_on_kill;
}

// "2 bridge, 1 slash_worker"
std::string kinds_of(const std::vector<const ReportedProcess*>& ended) {
    std::map<std::string, std::size_t> kinds;
    for (const ReportedProcess* process : ended) ++kinds[process->judgement.family];
    std::string text;
    for (const auto& [kind, number] : kinds)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", number, policy::escape(kind, 60));
    return text;
}

std::string as_markup(std::string_view text) {
    std::string markup;
    for (const char c : text) {
        switch (c) {
            case '&': markup += "&amp;"; break;
            case '<': markup += "&lt;"; break;
            case '>': markup += "&gt;"; break;
            default: markup += c;
        }
    }
    return markup;
}

// Empty: there is none.
std::string session_bus() {
    std::string address = variable("DBUS_SESSION_BUS_ADDRESS");
    if (!address.empty()) return address;
    std::string folder = variable("XDG_RUNTIME_DIR");
    if (folder.empty()) folder = fmt::format("/run/user/{}", ::geteuid());
    const std::string path = folder + "/bus";
    struct stat status{};
    const bool is_there = ::stat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode);
    return is_there && status.st_uid == ::geteuid() ? "unix:path=" + path : std::string();
}

}  // namespace

std::optional<DesktopNote> desktop_note(const Report& report, scanner::Uid user) {
    std::vector<const ReportedProcess*> ended;
    std::uint64_t bytes = 0;
    for (const ReportedProcess& process : report.processes) {
        if (!was_ended_here(process) || process.facts.row.uid != user) continue;
        ended.push_back(&process);
        bytes += memory_bytes(process.facts);
    }
    if (ended.empty()) return std::nullopt;
    const std::string reason = policy::escape(why(*ended.front()), 200);
    return DesktopNote{
        count_text(ended.size(), "leaked helper") + " ended",
        as_markup(fmt::format("{}: {}{}; {} came back", kinds_of(ended), reason,
                              ended.size() == 1 ? "" : ", and others", size_text(bytes)))};
}

// By busctl, which every systemd brings along: no library of a desktop is needed, a program that is
// linked statically can do it as well, and whatever hangs is ended with it. notify-send would start
// a bus where there is none.
void notify_desktop(const Report& report) {
    const auto note = desktop_note(report, ::geteuid());
    const std::string bus = note ? session_bus() : std::string();
    if (bus.empty()) return;
    std::ignore =
        ask({.argv = {"busctl", "--user", "--timeout=1",   "--quiet",
                      "--",     "call",   kName,           "/org/freedesktop/Notifications",
                      kName,    "Notify", "susssasa{sv}i", "orphan-reaper",
                      "0",      "",       note->summary,   note->body,
                      "0",      "1",      "urgency",       "y",
                      "0",      "-1"},
             .environment = {"DBUS_SESSION_BUS_ADDRESS=" + bus},
             .limit = kPatience});
}

}  // namespace reaper::agent
