#include "scanner/parse/script_path.hpp"

#include <algorithm>

namespace reaper::scanner {

namespace {

// Appends one component. `path` is absolute and normalised, except that "/" itself is kept as "".
void enter(std::string& path, std::string_view part) {
    if (part.empty() || part == ".") return;
    if (part == "..") {
        path.resize(path.empty() ? 0 : path.rfind('/'));
        return;
    }
    path.append("/").append(part);
}

void enter_all(std::string& path, std::string_view parts) {
    while (!parts.empty()) {
        const std::size_t end = std::min(parts.find('/'), parts.size());
        enter(path, parts.substr(0, end));
        parts.remove_prefix(std::min(end + 1, parts.size()));
    }
}

}  // namespace

std::string resolve_script(std::string_view script, std::string_view cwd) {
    constexpr std::string_view kNul("\0", 1);
    const bool absolute = script.starts_with('/');
    if (script.empty() || (!absolute && !cwd.starts_with('/'))) return {};
    if (script.find(kNul) != script.npos || cwd.find(kNul) != cwd.npos) return {};
    std::string path;
    if (!absolute) enter_all(path, cwd);
    enter_all(path, script);
    return path.empty() ? "/" : path;
}

std::string_view folder_of(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos || slash == 0) return "/";
    return path.substr(0, slash);
}

}  // namespace reaper::scanner
