#include "agent/schedule/launchd_job.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "agent/schedule/names.hpp"
#include "scanner/model/number.hpp"

namespace reaper::agent {

namespace {

constexpr std::string_view kHead =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" "
    "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n"
    "<!-- Written by orphan-reaper schedule install -->\n";

constexpr std::array<std::pair<char, std::string_view>, 3> kEntities = {
    {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}}};

std::string as_xml(std::string_view text) {
    std::string xml;
    for (const char letter : text) {
        const auto entity =
            std::ranges::find(kEntities, letter, &std::pair<char, std::string_view>::first);
        if (entity == kEntities.end())
            xml += letter;
        else
            xml += entity->second;
    }
    return xml;
}

std::string from_xml(std::string_view xml) {
    std::string text;
    while (!xml.empty()) {
        const auto entity = std::ranges::find_if(
            kEntities, [&](const auto& one) { return xml.starts_with(one.second); });
        text += entity == kEntities.end() ? xml.front() : entity->first;
        xml.remove_prefix(entity == kEntities.end() ? 1 : entity->second.size());
    }
    return text;
}

std::string string_item(std::string_view indent, std::string_view text) {
    return fmt::format("{}<string>{}</string>\n", indent, as_xml(text));
}

std::string key(std::string_view name, std::string_view value) {
    return fmt::format("\t<key>{}</key>\n{}", name, value);
}

std::string arguments_item(const std::string& program, std::string words) {
    std::string items = string_item("\t\t", program);
    while (!words.empty()) {
        const std::string word = words.substr(0, words.find(' '));
        items += string_item("\t\t", word);
        words.erase(0, word.size() + 1);
    }
    return fmt::format("\t<array>\n{}\t</array>\n", items);
}

// When it runs. A watch that ended well was told to end.
std::string occasions(ScheduleKind kind, const ScheduleWish& wish) {
    if (kind != ScheduleKind::launch_watch)
        return key("StartInterval", fmt::format("\t<integer>{}</integer>\n", wish.every.count()));
    return key("KeepAlive", "\t<dict>\n\t\t<key>SuccessfulExit</key>\n\t\t<false/>\n\t</dict>\n") +
           key("ThrottleInterval", "\t<integer>60</integer>\n");
}

// A daemon has no HOME, and an agent outside of a login window is not for that.
std::string place(ScheduleKind kind, const Situation& found) {
    if (kind == ScheduleKind::launch_daemon)
        return key("UserName", string_item("\t", found.account)) +
               key("EnvironmentVariables",
                   fmt::format("\t<dict>\n\t\t<key>HOME</key>\n{}\t</dict>\n",
                               string_item("\t\t", found.home)));
    if (found.domain.starts_with("gui/")) return {};
    return key("LimitLoadToSessionType", string_item("\t", "Background"));
}

// "	name = value": the value, of the outermost braces only.
std::optional<std::string_view> value_of(std::string_view text, std::string_view name) {
    const std::string line = fmt::format("\n\t{} = ", name);
    const std::size_t begin = text.find(line);
    if (begin == std::string_view::npos) return std::nullopt;
    text.remove_prefix(begin + line.size());
    return text.substr(0, text.find('\n'));
}

// The words of "arguments = { ... }", one on each line.
std::string arguments_in(std::string_view text) {
    constexpr std::string_view kBegin = "\n\targuments = {\n";
    const std::size_t begin = text.find(kBegin);
    if (begin == std::string_view::npos) return {};
    text.remove_prefix(begin + kBegin.size());
    text = text.substr(0, text.find("\n\t}"));
    std::string words;
    while (!text.empty()) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
        words += fmt::format("{}{}", words.empty() ? "" : " ", line);
    }
    return words;
}

}  // namespace

bool is_launchd(ScheduleKind kind) {
    return kind == ScheduleKind::launch_agent || kind == ScheduleKind::launch_watch ||
           kind == ScheduleKind::launch_daemon || kind == ScheduleKind::brew_service;
}

std::string job_label(ScheduleKind kind, std::string_view account) {
    if (kind == ScheduleKind::brew_service) return std::string(kBrewLabel);
    if (kind == ScheduleKind::launch_watch) return "orphan-reaper.watch";
    if (kind == ScheduleKind::launch_agent) return "orphan-reaper.sweep";
    return fmt::format("orphan-reaper.sweep.{}", account);
}

std::string job_file(ScheduleKind kind, const Situation& found) {
    const std::string folder = kind == ScheduleKind::launch_daemon
                                   ? std::string(kLaunchDaemons)
                                   : found.home + "/Library/LaunchAgents";
    return fmt::format("{}/{}.plist", folder, job_label(kind, found.account));
}

std::string job_text(ScheduleKind kind, const Situation& found, const ScheduleWish& wish) {
    std::string text(kHead);
    text += "<plist version=\"1.0\">\n<dict>\n";
    text += key("Label", string_item("\t", job_label(kind, found.account)));
    text += key("ProgramArguments",
                arguments_item(found.program, scheduled_words(kind, wish.report_only)));
    text += occasions(kind, wish);
    text += key("RunAtLoad", "\t<true/>\n");
    text += key("ProcessType", string_item("\t", "Background"));
    text += key("LowPriorityIO", "\t<true/>\n");
    text += place(kind, found);
    text +=
        key("StandardErrorPath", string_item("\t", found.home + "/Library/Logs/orphan-reaper.log"));
    return text + "</dict>\n</plist>\n";
}

bool is_job_by_install(std::string_view text) {
    return text.starts_with(kHead);
}

std::string command_of_job(std::string_view text) {
    constexpr std::string_view kKey = "<key>ProgramArguments</key>";
    constexpr std::string_view kOpen = "<string>";
    const std::size_t begin = text.find(kKey);
    if (begin == std::string_view::npos) return {};
    text.remove_prefix(begin + kKey.size());
    text = text.substr(0, text.find("</array>"));
    std::string words;
    for (std::size_t at = text.find(kOpen); at != std::string_view::npos; at = text.find(kOpen)) {
        text.remove_prefix(at + kOpen.size());
        const std::string_view word = text.substr(0, text.find("</string>"));
        words += fmt::format("{}{}", words.empty() ? "" : " ", from_xml(word));
    }
    return words;
}

JobState parse_job(std::string_view text) {
    JobState job{.loaded = true};
    job.path = value_of(text, "path").value_or("");
    job.command = arguments_in(text);
    job.running = value_of(text, "state") == "running";
    // "0", "78: EX_CONFIG" or "(never exited)"
    const std::string_view code = value_of(text, "last exit code").value_or("");
    job.exit_status = scanner::to_number<int>(code.substr(0, code.find(':')));
    return job;
}

bool is_disabled(std::string_view text, std::string_view label) {
    const std::string line = fmt::format("\"{}\" => ", label);
    const std::size_t begin = text.find(line);
    if (begin == std::string_view::npos) return false;
    text.remove_prefix(begin + line.size());
    return text.starts_with("disabled") || text.starts_with("true");
}

}  // namespace reaper::agent
