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

bool is_verb(std::string_view word) {
    return word == "run" || word == "x" || word == "exec" || word == "test";
}

// Tests argv[0], and the words up to the one that must be the script: not an option, and not the
// value of one. A value can be taken for the script, which lists one too many rather than too few.
bool has_script_below(const std::string& folder, const scanner::ProcessRow& row,
                      const scanner::Reading<std::string>& cwd) {
    if (!row.command_line.ok() || row.command_line.value.argv.empty()) return false;
    const auto& argv = row.command_line.value.argv;
    if (argv.front().starts_with('/') && lies_below(folder, argv.front())) return true;
    if (!row.exe.ok() || !scanner::is_one_of(row.exe.value, interpreters())) return false;
    for (std::size_t at = 1; at < argv.size(); ++at) {
        const std::string& word = argv[at];
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
