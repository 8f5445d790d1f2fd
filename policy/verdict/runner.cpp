#include "policy/verdict/runner.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace reaper::policy {

namespace {

constexpr std::string_view kRunners[] = {
    "npm",          "npm-cli.js", "npx",  "npx-cli.js", "pnpm",      "pnpx",   "yarn",
    "bunx",         "tsx",        "uv",   "uvx",        "pipx",      "sh",     "bash",
    "dash",         "ash",        "zsh",  "ksh",        "fish",      "mksh",   "busybox",
    "timeout",      "sudo",       "doas", "su",         "runuser",   "env",    "setsid",
    "flock",        "script",     "time", "nohup",      "nice",      "ionice", "stdbuf",
    "xargs",        "watch",      "tini", "catatonit",  "dumb-init", "chroot", "unshare",
    "orphan-reaper"};

std::string_view file_name(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

// Takes "npm exec NAME", which is one text, and "-bash", a login shell.
bool is_name_of_runner(std::string_view word) {
    std::string_view name = file_name(word.substr(0, word.find(' ')));
    if (name.starts_with('-')) name.remove_prefix(1);
    return std::ranges::find(kRunners, name) != std::end(kRunners);
}

bool is_path_of_runner(std::string_view script) {
    return is_name_of_runner(script) || script.ends_with("tsx/dist/cli.mjs") ||
           script.ends_with("tsx/dist/cli.cjs");
}

}  // namespace

bool is_runner(const scanner::ProcessRow& row) {
    if (row.exe.ok() && is_name_of_runner(row.exe.value)) return true;
    const auto& argv = row.command_line.value.argv;
    if (argv.empty()) return false;
    const auto word = std::find_if(argv.begin() + 1, argv.end(),
                                   [](std::string_view one) { return !one.starts_with('-'); });
    const bool bun_x = file_name(argv.front()) == "bun" && word != argv.end() && *word == "x";
    return bun_x || is_name_of_runner(argv.front()) ||
           (word != argv.end() && is_path_of_runner(*word));
}

}  // namespace reaper::policy
