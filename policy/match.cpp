#include "policy/match.hpp"

#include <algorithm>
#include <span>

#include "scanner/interpreter.hpp"
#include "scanner/number.hpp"

namespace reaper::policy {

namespace {

using Arguments = std::span<const std::string>;

bool contains(const std::vector<std::string>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_option(std::string_view word) {
    return word.size() > 1 && word.front() == '-';
}

// Does the path end in `ending`, at a folder boundary?
bool path_ends_with(std::string_view path, std::string_view ending) {
    if (!path.ends_with(ending)) return false;
    return path.size() == ending.size() || path[path.size() - ending.size() - 1] == '/';
}

bool ends_with_any(std::string_view path, const std::vector<std::string>& endings) {
    return std::any_of(endings.begin(), endings.end(),
                       [&](const std::string& ending) { return path_ends_with(path, ending); });
}

// After "--" comes a script's name, even one that looks like an option ("-m"): no rule names such a script.
std::optional<Arguments> after_separator(Arguments words) {
    if (!words.empty() && is_option(words.front())) return std::nullopt;
    return words;
}

// What is left after the interpreter's own options. None: the interpreter runs something that is no file or module.
std::optional<Arguments> after_own_options(const Program& program, Arguments words) {
    while (!words.empty() && is_option(words.front())) {
        const std::string& option = words.front();
        if (option == "-m" && !program.modules.empty()) return words;
        if (option == "--") return after_separator(words.subspan(1));
        if (contains(program.options_without_script, option.substr(0, option.find('=')))) return std::nullopt;
        const std::size_t taken = contains(program.options_with_value, option) ? 2 : 1;
        if (words.size() < taken) return std::nullopt;
        words = words.subspan(taken);
    }
    return words;
}

// After a launcher's path come its own options, possibly another launcher's name ("npx --yes tsx"), then the script.
Arguments after_launchers(const Program& program, Arguments words, bool& launcher) {
    while (!words.empty() && ends_with_any(words.front(), program.launchers)) {
        launcher = true;
        words = words.subspan(1);
        while (!words.empty() && is_option(words.front())) words = words.subspan(1);
    }
    return words;
}

bool has_option(const std::vector<std::string>& arguments, std::string_view wanted) {
    return std::any_of(arguments.begin(), arguments.end(), [&](std::string_view word) {
        return word == wanted || (word.starts_with(wanted) && word.substr(wanted.size()).starts_with('=') &&
                                  wanted.find('=') == std::string_view::npos);
    });
}

bool has_all(const std::vector<std::string>& arguments, const std::vector<std::string>& wanted) {
    return std::all_of(wanted.begin(), wanted.end(),
                       [&](const std::string& option) { return has_option(arguments, option); });
}

std::optional<Invocation> module_invocation(const Program& program, Arguments words) {
    if (words.size() < 2 || words.front() != "-m" || !contains(program.modules, words[1])) return std::nullopt;
    words = words.subspan(2);
    return Invocation{{}, false, {words.begin(), words.end()}};
}

std::optional<Invocation> script_invocation(const Program& program, Arguments words) {
    Invocation found;
    words = after_launchers(program, words, found.launcher);
    if (words.empty() || is_option(words.front())) return std::nullopt;
    const std::string_view script = words.front();
    if (!contains(program.scripts, script.substr(script.rfind('/') + 1))) return std::nullopt;
    found.script = script;
    found.arguments.assign(words.begin() + 1, words.end());
    return found;
}

Role role_of(const FamilyRule& rule, const std::vector<std::string>& arguments) {
    const auto found = std::find_if(rule.roles.begin(), rule.roles.end(),
                                    [&](const Role& role) { return has_all(arguments, role.flags); });
    return found == rule.roles.end() ? Role{} : *found;
}

}  // namespace

std::optional<Invocation> match_program(const Program& program, const scanner::ProcessRow& row) {
    if (!row.exe.ok() || !row.command_line.ok() || row.command_line.value.argv.empty()) return std::nullopt;
    const bool interpreted =
        std::any_of(program.interpreters.begin(), program.interpreters.end(),
                    [&](const std::string& name) { return scanner::is_interpreter(row.exe.value, name); });
    if (!interpreted) return std::nullopt;
    const auto words = after_own_options(program, Arguments(row.command_line.value.argv).subspan(1));
    if (!words) return std::nullopt;
    auto invocation = module_invocation(program, *words);
    if (!invocation) invocation = script_invocation(program, *words);
    if (!invocation || !has_all(invocation->arguments, program.required)) return std::nullopt;
    return invocation;
}

std::optional<Match> match(const Rules& rules, const scanner::ProcessRow& row) {
    for (const FamilyRule& rule : rules.families) {
        if (!rule.enabled) continue;
        if (auto invocation = match_program(rule.program, row)) {
            Role role = role_of(rule, invocation->arguments);
            return Match{&rule, std::move(role), std::move(*invocation)};
        }
    }
    return std::nullopt;
}

bool is_host(const FamilyRule& rule, const scanner::ProcessRow& row) {
    return std::any_of(rule.hosts.begin(), rule.hosts.end(),
                       [&](const Program& host) { return match_program(host, row).has_value(); });
}

std::optional<scanner::Pid> recorded_parent(const Match& match) {
    if (match.rule->parent_option.empty()) return std::nullopt;
    const auto text = option_value(match.invocation.arguments, match.rule->parent_option);
    const auto pid = text ? scanner::to_number<scanner::Pid>(*text) : std::nullopt;
    return pid && *pid > 1 ? pid : std::nullopt;
}

std::optional<std::string> option_value(const std::vector<std::string>& arguments, std::string_view name) {
    std::optional<std::string> value;
    for (std::size_t at = 0; at < arguments.size(); ++at) {
        const std::string_view word = arguments[at];
        if (word == name && at + 1 < arguments.size()) {
            value = arguments[at + 1];
        } else if (word.starts_with(name) && word.substr(name.size()).starts_with('=')) {
            value = word.substr(name.size() + 1);
        }
    }
    return value;
}

}  // namespace reaper::policy
