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

// The first word that is no option; the values of options are taken for it, which lists a process
// too many rather than one too few.
std::string script_of(const scanner::ProcessRow& row, const scanner::Reading<std::string>& cwd) {
    if (!row.command_line.ok() || !scanner::is_one_of(row.exe.value, interpreters())) return {};
    const auto& argv = row.command_line.value.argv;
    if (argv.empty()) return {};
    const auto script = std::find_if(argv.begin() + 1, argv.end(),
                                     [](std::string_view word) { return !word.starts_with('-'); });
    if (script == argv.end() || (!script->starts_with('/') && !cwd.ok())) return {};
    return scanner::resolve_script(*script, cwd.value);
}

}  // namespace

bool runs_below(const std::string& folder, const scanner::ProcessRow& row,
                const scanner::Reading<std::string>& cwd) {
    return (cwd.ok() && lies_below(folder, cwd.value)) ||
           (row.exe.ok() && lies_below(folder, row.exe.value)) ||
           lies_below(folder, script_of(row, cwd));
}

}  // namespace reaper::policy
