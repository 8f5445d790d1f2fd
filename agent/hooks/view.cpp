#include "agent/hooks/view.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "policy/text/escape.hpp"

namespace reaper::agent {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kWidest = 1000;

bool has(const std::vector<HookStatus>& hosts, HookState state) {
    return std::ranges::find(hosts, state, &HookStatus::state) != hosts.end();
}

std::string line_of(const HookStatus& status) {
    std::string line = fmt::format("  {:<12} {:<14} {}", status.host->name, to_string(status.state),
                                   policy::escape(status.file, kWidest));
    if (!status.remark.empty()) line += fmt::format(": {}", policy::escape(status.remark, kWidest));
    line += '\n';
    if (status.state == HookState::not_installed || status.state == HookState::other_version)
        line += fmt::format("        -> orphan-reaper hooks install {}\n", status.host->name);
    return line;
}

Json host_json(const HookStatus& status) {
    return {{"host", status.host->name},
            {"state", to_string(status.state)},
            {"file", status.file},
            {"remark", status.remark.empty() ? Json(nullptr) : Json(status.remark)}};
}

// Each line with `mark` before it; commas and newlines that only join it with the rest are left
// out.
std::string marked(std::string_view text, char mark) {
    text.remove_prefix(std::min(text.find_first_not_of(",\r\n"), text.size()));
    std::string lines;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        const std::string_view blank = line.empty() ? "" : " ";
        lines += fmt::format("  {}{}{}\n", mark, blank, policy::escape(line, kWidest));
    }
    return lines;
}

std::size_t common_prefix(std::string_view one, std::string_view other) {
    const auto [end, unused] = std::ranges::mismatch(one, other);
    return static_cast<std::size_t>(end - one.begin());
}

std::size_t common_suffix(std::string_view one, std::string_view other) {
    const auto least = std::min(one.size(), other.size());
    std::size_t size = 0;
    while (size < least && one[one.size() - size - 1] == other[other.size() - size - 1]) ++size;
    return size;
}

std::string difference(std::string_view before, std::string_view after, std::string_view path) {
    const std::size_t begin = common_prefix(before, after);
    const std::size_t end = common_suffix(before.substr(begin), after.substr(begin));
    const auto line = std::ranges::count(before.substr(0, begin), '\n') + 1;
    const std::string_view lost = before.substr(begin, before.size() - begin - end);
    const std::string_view added = after.substr(begin, after.size() - begin - end);
    return fmt::format("change {}, at line {}:\n{}{}", policy::escape(path, kWidest), line,
                       marked(lost, '-'), marked(added, '+'));
}

}  // namespace

ExitStatus exit_status_of(const std::vector<HookStatus>& hosts, bool named) {
    if (has(hosts, HookState::unknown)) return ExitStatus::incomplete;
    const bool missing = has(hosts, HookState::not_installed) ||
                         has(hosts, HookState::other_version) ||
                         (named && has(hosts, HookState::no_host));
    return missing ? ExitStatus::leaks_left : ExitStatus::clean;
}

std::string render_hooks(const HooksView& view) {
    std::string text = "hooks that ask for a sweep when a session ends:\n";
    for (const HookStatus& status : view.hosts) text += line_of(status);
    if (!view.refusal.empty())
        text += fmt::format("  nothing can be installed: {}\n", view.refusal);
    return text;
}

std::string render_hooks_json(const HooksView& view, ExitStatus exit_status) {
    Json json = {{"schema", "orphan-reaper/hooks/1"},
                 {"version", view.version},
                 {"command", "hooks"},
                 {"program", view.program.empty() ? Json(nullptr) : Json(view.program)},
                 {"refusal", view.refusal.empty() ? Json(nullptr) : Json(view.refusal)},
                 {"hosts", Json::array()},
                 {"exit_status", static_cast<int>(exit_status)}};
    for (const HookStatus& status : view.hosts) json["hosts"].push_back(host_json(status));
    // `replace` cannot throw half-way through.
    return json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

std::string change_text(const HookChange& change) {
    const std::string path = policy::escape(change.path, kWidest);
    if (!change.changes_file()) return {};
    if (!change.after) return fmt::format("remove {}\n", path);
    if (!change.before) return fmt::format("make {}:\n{}", path, marked(*change.after, '+'));
    std::string text = difference(*change.before, *change.after, change.path);
    if (change.backup == HookChange::Backup::write)
        text += fmt::format("  what it is now is kept in {}\n",
                            policy::escape(backup_of(change.path), kWidest));
    return text;
}

}  // namespace reaper::agent
