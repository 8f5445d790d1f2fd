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

// "bun" is bun.exe as npm installs it, on every system.
bool is_other_name(std::string_view file, std::string_view name) {
    return (name == "python" && has_name(file, "pypy")) ||
           (name == "node" && has_name(file, "nodejs")) || (name == "bun" && file == "bun.exe");
}

// Compares the first letter first, as the walk calls this for each process and name. Other names of
// a program begin with the same letter, but for Python's on macOS:
// Python.app/Contents/MacOS/Python.
bool is_called(std::string_view file, std::string_view name) {
    if (!name.empty() && !file.starts_with(name.front()))
        return file == "Python" && name == "python";
    return has_name(file, name) || is_other_name(file, name);
}

bool fits_part(std::string_view pattern, std::string_view part) {
    const std::size_t star = pattern.find('*');
    if (star == std::string_view::npos) return pattern == part;
    const std::string_view after = pattern.substr(star + 1);
    return part.size() + 1 >= pattern.size() && part.starts_with(pattern.substr(0, star)) &&
           part.ends_with(after);
}

// Compares from the end, part by part. Its last letter tells most executables from the pattern.
bool lies_at(std::string_view exe, std::string_view pattern) {
    if (pattern.empty() || exe.empty()) return false;
    if (pattern.back() != '*' && pattern.back() != exe.back()) return false;
    if (pattern.find('/') == std::string_view::npos) return false;
    for (;;) {
        const std::size_t folder = pattern.rfind('/');
        const std::size_t above = exe.rfind('/');
        if (!fits_part(pattern.substr(folder + 1), exe.substr(above + 1))) return false;
        if (folder == std::string_view::npos) return true;
        if (above == std::string_view::npos) return false;
        pattern = pattern.substr(0, folder);
        exe = exe.substr(0, above);
    }
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
    exe = without_deleted_mark(exe);
    const std::string_view file = file_of(exe);
    return std::ranges::any_of(names, [exe, file](const std::string& name) {
        return is_called(file, name) || lies_at(exe, name);
    });
}

}  // namespace reaper::scanner
