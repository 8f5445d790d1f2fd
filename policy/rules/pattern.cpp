#include "policy/rules/pattern.hpp"

#include <string>

namespace reaper::policy {

// Tries only the last star again, as everything before it fits already. So a long text costs at
// most its length times that of the pattern.
bool fits(std::string_view pattern, std::string_view text) {
    std::size_t wanted = 0;
    std::size_t at = 0;
    std::size_t star = std::string_view::npos;
    std::size_t star_end = 0;  // end of what the star stands for
    while (at < text.size()) {
        if (wanted < pattern.size() && pattern[wanted] == '*') {
            star = wanted++;
            star_end = at;
        } else if (wanted < pattern.size() && pattern[wanted] == text[at]) {
            ++wanted;
            ++at;
        } else if (star != std::string_view::npos) {
            wanted = star + 1;
            at = ++star_end;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', wanted) == std::string_view::npos;
}

bool fits_path(std::string_view pattern, std::string_view path) {
    if (pattern.find('/') == std::string_view::npos)
        return fits(pattern, path.substr(path.rfind('/') + 1));
    return fits(pattern, path) || fits("*/" + std::string(pattern), path);
}

std::string_view package_of(std::string_view path) {
    constexpr std::string_view kFolder = "node_modules/";
    constexpr std::string_view kLinks = ".bin/";
    const std::size_t at = path.rfind(kFolder);
    if (at == std::string_view::npos || (at > 0 && path[at - 1] != '/')) return {};
    path.remove_prefix(at + kFolder.size());
    if (path.starts_with(kLinks)) path.remove_prefix(kLinks.size());
    std::size_t end = path.find('/');
    if (path.starts_with('@') && end != std::string_view::npos) end = path.find('/', end + 1);
    return path.substr(0, end);
}

}  // namespace reaper::policy
