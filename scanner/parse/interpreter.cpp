#include "scanner/parse/interpreter.hpp"

#include <algorithm>
#include <iterator>

namespace reaper::scanner {

namespace {

constexpr std::string_view kDigits = "0123456789.";
constexpr std::string_view kAbis[] = {"", "d", "m", "t", "u", "dm", "mu", "td"};

// Takes off the suffix of a special build of the same program: "python3.11-dbg" (Debian),
// "bun-profile", "node_g", "pypy3-c".
std::string_view without_build(std::string_view text) {
    for (const std::string_view build : {"-dbg", "-debug", "-profile", "_g", "-c"}) {
        if (text.ends_with(build)) return text.substr(0, text.size() - build.size());
    }
    return text;
}

// "", "3.11", "-22" (Fedora's node), "3.13t" (free-threaded Python), "3.7dm", "3.11-dbg".
bool is_version(std::string_view text) {
    text = without_build(text);
    if (text.empty()) return true;
    if (text.starts_with('-')) text.remove_prefix(1);
    const std::size_t end = std::min(text.find_first_not_of(kDigits), text.size());
    const std::string_view letters = text.substr(end);
    const auto is_it = [letters](std::string_view known) { return letters == known; };
    return end > 0 && std::any_of(std::begin(kAbis), std::end(kAbis), is_it);
}

// Takes off what Nix adds: ".node-wrapped" is node where a script has taken its place; a second
// program of that name gets a "_".
std::string_view without_wrap(std::string_view name) {
    constexpr std::string_view kWrapped = "-wrapped";
    if (!name.starts_with('.')) return name;
    const std::string_view bare = name.substr(1, name.find_last_not_of('_'));
    return bare.ends_with(kWrapped) ? bare.substr(0, bare.size() - kWrapped.size()) : name;
}

bool has_name(std::string_view file, std::string_view name) {
    return file.starts_with(name) && is_version(file.substr(name.size()));
}

std::string_view file_of(std::string_view exe) {
    exe = without_deleted_mark(exe);
    exe.remove_prefix(exe.rfind('/') + 1);  // npos + 1 is 0: without a slash all of it stays
    return without_wrap(exe);
}

// Compares the first letter first, as the walk calls this for each process and name. Other names of
// a program begin with the same letter.
bool is_called(std::string_view file, std::string_view name) {
    if (!name.empty() && !file.starts_with(name.front())) return false;
    if (has_name(file, name)) return true;
    return (name == "python" && has_name(file, "pypy")) ||
           (name == "node" && has_name(file, "nodejs"));
}

}  // namespace

std::string_view without_deleted_mark(std::string_view exe) {
    constexpr std::string_view kDeleted = " (deleted)";
    if (exe.ends_with(kDeleted)) exe.remove_suffix(kDeleted.size());
    return exe;
}

bool is_interpreter(std::string_view exe, std::string_view name) {
    return is_called(file_of(exe), name);
}

bool is_one_of(std::string_view exe, std::span<const std::string> names) {
    const std::string_view file = file_of(exe);
    return std::ranges::any_of(names,
                               [file](const std::string& name) { return is_called(file, name); });
}

}  // namespace reaper::scanner
