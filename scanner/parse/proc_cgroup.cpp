#include "scanner/parse/proc_cgroup.hpp"

#include <algorithm>

#include "scanner/model/number.hpp"

namespace reaper::scanner {

namespace {

// A line such as "4:memory:/a/b". The path may hold further colons.
struct Hierarchy {
    std::uint32_t id = 0;
    std::string_view controllers;
    std::string_view path;
};

std::optional<Hierarchy> parse_line(std::string_view line) {
    Hierarchy hierarchy;
    if (!take_number(line, hierarchy.id) || !line.starts_with(':')) return std::nullopt;
    line.remove_prefix(1);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    hierarchy.controllers = line.substr(0, colon);
    hierarchy.path = line.substr(colon + 1);
    if (!hierarchy.path.starts_with('/')) return std::nullopt;
    return hierarchy;
}

// Looks for "pids" in "cpu,pids".
bool has_word(std::string_view list, std::string_view word) {
    while (!list.empty()) {
        const std::string_view first = list.substr(0, list.find(','));
        if (first == word) return true;
        list.remove_prefix(std::min(list.size(), first.size() + 1));
    }
    return false;
}

struct Paths {
    std::optional<std::string_view> unified;
    std::optional<std::string_view> named;
};

bool keep(const Hierarchy& hierarchy, Paths& paths) {
    const bool unified = hierarchy.id == 0 && hierarchy.controllers.empty();
    if (!unified && hierarchy.controllers != "name=systemd") return true;
    auto& path = unified ? paths.unified : paths.named;
    if (path) return false;
    path = hierarchy.path;
    return true;
}

std::optional<Paths> parse_paths(std::string_view text) {
    Paths paths;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) return std::nullopt;
        const auto hierarchy = parse_line(text.substr(0, end));
        if (!hierarchy || !keep(*hierarchy, paths)) return std::nullopt;
        text.remove_prefix(end + 1);
    }
    return paths;
}

// Prefers name=systemd, where a hybrid system has the units. In a container that mounts only the
// root of that hierarchy, the unified one tells more.
std::optional<std::string_view> preferred(const Paths& paths) {
    if (!paths.named || (*paths.named == "/" && paths.unified)) return paths.unified;
    return paths.named;
}

// Takes the last component off a path.
std::string_view take_leaf(std::string_view& path) {
    const std::size_t slash = path.rfind('/');
    // npos + 1 is 0: without a slash all of it stays
    const std::string_view leaf = path.substr(slash + 1);
    path = path.substr(0, slash == std::string_view::npos ? 0 : slash);
    return leaf;
}

bool is_unit(std::string_view name) {
    for (const std::string_view suffix : {".service", ".scope"}) {
        if (name.size() > suffix.size() && name.ends_with(suffix)) return true;
    }
    return false;
}

// "user@1000.service"
bool is_user_manager(std::string_view name) {
    constexpr std::string_view kPrefix = "user@";
    constexpr std::string_view kSuffix = ".service";
    if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return false;
    name.remove_prefix(kPrefix.size());
    name.remove_suffix(kSuffix.size());
    return to_number<Uid>(name).has_value();
}

bool lies_in_user_manager(std::string_view path) {
    while (!path.empty()) {
        if (is_user_manager(take_leaf(path))) return true;
    }
    return false;
}

constexpr std::string_view kSlice = ".slice";

// True unless the name may be one that a service gave to a cgroup of its own. A manager makes its
// scopes in slices, and one for itself.
bool is_made_by_manager(std::string_view unit, std::string_view above) {
    if (unit.ends_with(".service") || above.empty() || above == "/") return true;
    const std::string_view parent = take_leaf(above);
    return parent.ends_with(kSlice) || is_user_manager(parent);
}

ServiceUnit named_unit(std::string_view name, std::string_view above) {
    // systemd puts one '_' before a name that is reserved by the kernel or starts with '_'
    // (cg_escape).
    if (name.starts_with('_')) name.remove_prefix(1);
    ServiceUnit unit;
    unit.name = name;
    unit.of_user_manager = lies_in_user_manager(above);
    return unit;
}

}  // namespace

Result<std::string> systemd_path(std::string_view text) {
    const auto paths = parse_paths(text);
    if (!paths) return failure(std::errc::invalid_argument, "parse", "cgroup");
    auto path = preferred(*paths);
    if (!path)
        return failure(std::errc::no_such_file_or_directory, "find systemd's hierarchy in",
                       "cgroup");
    // The kernel marks so a unified cgroup that was removed while a process in it was exiting.
    constexpr std::string_view kDeleted = " (deleted)";
    if (path->ends_with(kDeleted)) path->remove_suffix(kDeleted.size());
    return std::string(*path);
}

Result<std::string> unified_path(std::string_view text) {
    const auto paths = parse_paths(text);
    if (!paths) return failure(std::errc::invalid_argument, "parse", "cgroup");
    if (!paths->unified)
        return failure(std::errc::no_such_file_or_directory, "find cgroups of version 2 in",
                       "cgroup");
    return std::string(*paths->unified);
}

Result<std::string> controller_path(std::string_view text, std::string_view controller) {
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const auto hierarchy = parse_line(text.substr(0, end));
        if (end == std::string_view::npos || !hierarchy)
            return failure(std::errc::invalid_argument, "parse", "cgroup");
        if (has_word(hierarchy->controllers, controller)) return std::string(hierarchy->path);
        text.remove_prefix(end + 1);
    }
    return failure(std::errc::no_such_file_or_directory, "find the controller in", "cgroup");
}

std::optional<ServiceUnit> unit_of(std::string_view cgroup_path) {
    std::optional<ServiceUnit> scope;
    while (!cgroup_path.empty()) {
        const std::string_view leaf = take_leaf(cgroup_path);
        if (!is_unit(leaf)) continue;
        if (is_made_by_manager(leaf, cgroup_path)) return named_unit(leaf, cgroup_path);
        if (!scope) scope = named_unit(leaf, cgroup_path);
    }
    return scope;
}

bool lies_in_slices(std::string_view cgroup_path, std::string_view root) {
    if (!cgroup_path.starts_with(root)) return false;
    cgroup_path.remove_prefix(root.size());
    while (cgroup_path.starts_with('/')) {
        cgroup_path.remove_prefix(1);
        const std::string_view name = cgroup_path.substr(0, cgroup_path.find('/'));
        if (is_unit(name)) return true;
        if (!name.ends_with(kSlice)) return false;
        cgroup_path.remove_prefix(name.size());
    }
    return false;
}

bool is_user_manager_path(std::string_view cgroup_path) {
    return take_leaf(cgroup_path) == "init.scope" && is_user_manager(take_leaf(cgroup_path));
}

}  // namespace reaper::scanner
