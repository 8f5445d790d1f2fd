#include "policy/match/location.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "scanner/parse/interpreter.hpp"
#include "scanner/parse/script_path.hpp"

namespace reaper::policy {

namespace {

const std::vector<std::string>& interpreters() {
    static const std::vector<std::string> names = {"node", "bun",  "deno", "python", "ruby", "perl",
                                                   "php",  "java", "sh",   "bash",   "dash", "zsh"};
    return names;
}

bool lies_below(const std::string& folder, std::string_view path) {
    return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

// Options of interpreters, by the end of their names: what follows is code, or a module, and then
// arguments.
bool takes_code(std::string_view interpreter, std::string_view option) {
    if (option.starts_with("--eval") || option.starts_with("--print")) return true;
    option.remove_prefix(1);
    const bool is_cluster =
        option.size() <= 6 && std::ranges::all_of(option, [](char letter) {
            return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
        });
    if (!is_cluster) return false;
    const auto is = [&](std::string_view name) { return interpreter.starts_with(name); };
    if (is("python") || is("Python") || is("pypy"))
        return option.find_first_of("cm") != std::string_view::npos;
    if (is("node") || is("bun")) return option.find_first_of("ep") != std::string_view::npos;
    if (is("perl") || is("ruby")) return option.find_first_of("eE") != std::string_view::npos;
    if (is("php")) return option.find('r') != std::string_view::npos;
    return interpreter.ends_with("sh") && option.find('c') != std::string_view::npos;
}

bool is_verb(std::string_view word) {
    return word == "run" || word == "x" || word == "exec" || word == "test";
}

// Tests argv[0], and the words up to the one that must be the script: not an option, not the value
// of one, and not what follows code on the command line. Another value can be taken for the script,
// which lists one too many rather than too few.
bool has_script_below(const std::string& folder, const scanner::ProcessRow& row,
                      const scanner::Reading<std::string>& cwd) {
    if (!row.command_line.ok() || row.command_line.value.argv.empty()) return false;
    const auto& argv = row.command_line.value.argv;
    if (argv.front().starts_with('/') && lies_below(folder, argv.front())) return true;
    if (!row.exe.ok() || !scanner::is_one_of(row.exe.value, interpreters())) return false;
    std::string_view program(row.exe.value);
    program.remove_prefix(program.rfind('/') + 1);
    if (program.starts_with('.')) program.remove_prefix(1);  // ".python3-wrapped"
    for (std::size_t at = 1; at < argv.size(); ++at) {
        const std::string& word = argv[at];
        if (word.starts_with('-') && takes_code(program, word)) return false;
        if (word.starts_with('-') || is_verb(word)) continue;
        const bool known = word.starts_with('/') || cwd.ok();
        if (known && lies_below(folder, scanner::resolve_script(word, cwd.value))) return true;
        if (!argv[at - 1].starts_with('-')) return false;
    }
    return false;
}

}  // namespace

bool runs_below(const std::vector<std::string>& names, const scanner::ProcessRow& row,
                const scanner::Reading<std::string>& cwd) {
    return std::ranges::any_of(names, [&](const std::string& folder) {
        return (cwd.ok() && lies_below(folder, cwd.value)) ||
               (row.exe.ok() && lies_below(folder, row.exe.value)) ||
               has_script_below(folder, row, cwd);
    });
}

}  // namespace reaper::policy
