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

std::string line_of(const HookStatus& status, bool can_install) {
    std::string line = fmt::format("  {:<12} {:<17} {}", status.host->name, to_string(status.state),
                                   policy::escape(status.file, kWidest));
    if (!status.remark.empty()) line += fmt::format(": {}", policy::escape(status.remark, kWidest));
    line += '\n';
    const bool is_missing =
        status.state == HookState::not_installed || status.state == HookState::other_version;
    if (is_missing && can_install && !status.is_refused)
        line += fmt::format("        -> orphan-reaper hooks install {}\n", status.host->name);
    return line;
}

Json host_json(const HookStatus& status) {
    return {{"host", status.host->name},
            {"state", to_string(status.state)},
            {"file", status.file},
            {"remark", status.remark.empty() ? Json(nullptr) : Json(status.remark)}};
}

// Each line with `mark` before it.
std::string marked(std::string_view text, char mark) {
    std::string lines;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        const std::string_view blank = line.empty() ? "" : " ";
        lines += fmt::format("  {}{}{}\n", mark, blank, policy::escape(line, kWidest));
    }
    return lines;
}

std::string marked_all(const std::vector<std::string>& entries, char mark) {
    std::string text;
    for (const std::string& entry : entries) text += marked(entry, mark);
    return text;
}

std::string where_in(const HookHost& host) {
    return host.form == HookForm::module ? "" : fmt::format(", in hooks.{}", host.event);
}

}  // namespace

ExitStatus exit_status_of(const std::vector<HookStatus>& hosts, bool named) {
    if (has(hosts, HookState::unknown)) return ExitStatus::incomplete;
    const bool missing = has(hosts, HookState::not_installed) ||
                         has(hosts, HookState::other_version) || has(hosts, HookState::off) ||
                         has(hosts, HookState::unclear) ||
                         (named && has(hosts, HookState::no_host));
    return missing ? ExitStatus::leaks_left : ExitStatus::clean;
}

std::string render_hooks(const HooksView& view) {
    std::string text = "hooks that ask for a sweep when a session ends:\n";
    for (const HookStatus& status : view.hosts) text += line_of(status, view.refusal.empty());
    if (!view.refusal.empty())
        text += fmt::format("  nothing can be installed: {}\n", view.refusal);
    for (const std::string& remark : view.remarks)
        text += fmt::format("  {}\n", policy::escape(remark, 2000));
    return text;
}

std::string render_hooks_json(const HooksView& view, ExitStatus exit_status) {
    Json json = {{"schema", "orphan-reaper/hooks/1"},
                 {"version", view.version},
                 {"command", "hooks"},
                 {"program", view.program.empty() ? Json(nullptr) : Json(view.program)},
                 {"refusal", view.refusal.empty() ? Json(nullptr) : Json(view.refusal)},
                 {"ends_agents", view.ends_agents ? Json(*view.ends_agents) : Json(nullptr)},
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
    std::string text =
        fmt::format("change {}{}:\n{}{}", path, where_in(*change.host),
                    marked_all(change.taken_out, '-'), marked_all(change.put_in, '+'));
    if (change.restores_form)
        text += "  blanks and newlines come back as they were before the installation\n";
    if (change.backup == HookChange::Backup::write)
        text += fmt::format("  what it is now is kept in {}\n",
                            policy::escape(backup_of(change.path), kWidest));
    return text;
}

}  // namespace reaper::agent
