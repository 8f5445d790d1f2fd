#include "agent/hooks/hosts.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "agent/cli/option_table.hpp"
#include "agent/hooks/module_file.hpp"
#include "agent/hooks/yaml_hooks.hpp"

namespace reaper::agent {

namespace {

constexpr std::array<HookHost, kHookHosts.size()> kHosts = {{
    {"claude-code", "Claude Code", HookForm::groups, "SessionEnd", "CLAUDE_CONFIG_DIR", "",
     ".claude", "settings.json", ""},
    {"codex", "Codex", HookForm::groups, "SessionEnd", "CODEX_HOME", "", ".codex", "hooks.json",
     "Codex runs it once you have allowed it: type /hooks in Codex"},
    {"gemini", "Gemini CLI", HookForm::groups, "SessionEnd", "", "", ".gemini", "settings.json",
     ""},
    {"cursor", "Cursor", HookForm::handlers, "sessionEnd", "", "", ".cursor", "hooks.json", ""},
    {"opencode", "opencode", HookForm::module, "dispose", "XDG_CONFIG_HOME", "/opencode",
     ".config/opencode", "plugins/orphan-reaper.js", ""},
    {"hermes", "Hermes", HookForm::yaml, "on_session_finalize", "HERMES_HOME", "", ".hermes",
     "config.yaml",
     "Hermes asks once, on a terminal, whether it may run it; 'hermes hooks list' says what it "
     "may"},
}};

// Kills what takes longer: Claude Code and Codex count seconds, Gemini CLI milliseconds.
int time_limit(const HookHost& host) {
    if (host.name == "gemini") return 2000;
    return host.name == "codex" ? 3 : 2;
}

}  // namespace

std::span<const HookHost> hook_hosts() {
    return kHosts;
}

const HookHost& hook_host(std::string_view name) {
    return *std::ranges::find(kHosts, name, &HookHost::name);
}

std::string hook_command(const HookHost& host, std::string_view program) {
    // Gemini CLI takes whatever is printed for an answer.
    const std::string_view silent = host.name == "gemini" ? " >/dev/null 2>&1" : "";
    return fmt::format("{} sweep --detach --after host --quiet --from {}{}", program, host.name,
                       silent);
}

std::string_view program_of(const HookHost& host, std::string_view command) {
    const std::string_view program = command.substr(0, command.find(' '));
    const bool is_this = program == "orphan-reaper" ||
                         (program.starts_with('/') && program.ends_with("/orphan-reaper"));
    return is_this && command == hook_command(host, program) ? program : std::string_view();
}

OrderedJson hook_handler(const HookHost& host, std::string_view program) {
    OrderedJson handler = OrderedJson::object();
    if (host.name == "gemini") handler["name"] = "orphan-reaper";
    if (host.form == HookForm::groups) handler["type"] = "command";
    handler["command"] = hook_command(host, program);
    if (host.form == HookForm::groups) handler["timeout"] = time_limit(host);
    // Claude Code then ends without waiting for it.
    if (host.name == "claude-code") handler["async"] = true;
    return handler;
}

OrderedJson hook_entry(const HookHost& host, std::string_view program) {
    if (host.form == HookForm::handlers) return hook_handler(host, program);
    OrderedJson group = OrderedJson::object();
    if (host.name == "gemini") group["matcher"] = "exit";
    group["hooks"] = OrderedJson::array({hook_handler(host, program)});
    return group;
}

std::string whole_file(const HookHost& host, std::string_view program) {
    if (host.form == HookForm::yaml) return yaml_block(host, program);
    if (host.form == HookForm::module) return module_text(program, false);
    OrderedJson file = OrderedJson::object();
    if (host.form == HookForm::handlers) file["version"] = 1;
    file["hooks"][std::string(host.event)] = OrderedJson::array({hook_entry(host, program)});
    return file.dump(2) + "\n";
}

}  // namespace reaper::agent
