#include "scanner/parse/task_limits.hpp"

#include <algorithm>

#include "scanner/model/number.hpp"
#include "scanner/parse/proc_cgroup.hpp"

namespace reaper::scanner {

namespace {

std::optional<NumberOrMax> number_or(std::string_view word, std::string_view unlimited) {
    if (word == unlimited) return NumberOrMax{};
    const auto number = to_number<std::uint64_t>(word);
    return number ? std::optional(NumberOrMax{number}) : std::nullopt;
}

// "/a/b" as it is seen where "/a" is mounted: "/b". None: it lies outside, as what a cgroup
// namespace shows as "/../b" does.
std::optional<std::string> path_below(const std::string& root, const std::string& path) {
    if (path.starts_with("/..")) return std::nullopt;
    if (root == "/") return path;
    if (!path.starts_with(root)) return std::nullopt;
    std::string rest = path.substr(root.size());
    if (rest.empty() || rest.starts_with('/')) return rest;
    return std::nullopt;
}

}  // namespace

void add_pids_folders(const PidsHierarchy& hierarchy, std::string_view cgroups,
                      std::set<std::string>& folders) {
    constexpr std::size_t kMostFolders = 1024;
    const auto cgroup =
        hierarchy.unified ? unified_path(cgroups) : controller_path(cgroups, "pids");
    if (!cgroup) return;
    auto below = path_below(hierarchy.root, *cgroup);
    while (below && folders.size() < kMostFolders) {
        if (below->ends_with('/')) below->pop_back();
        if (!folders.insert(hierarchy.place + *below).second || below->empty()) return;
        below->resize(below->rfind('/'));
    }
}

std::optional<NumberOrMax> parse_pids_number(std::string_view text) {
    if (!text.ends_with('\n')) return std::nullopt;
    text.remove_suffix(1);
    return number_or(text, "max");
}

// "Max processes             127432               127432               processes"
std::optional<NumberOrMax> parse_process_limit(std::string_view text) {
    constexpr std::string_view kName = "\nMax processes ";
    const std::size_t at = text.find(kName);
    if (at == std::string_view::npos) return std::nullopt;
    text.remove_prefix(at + kName.size());
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return number_or(text.substr(0, text.find(' ')), "unlimited");
}

// "0.20 0.18 0.12 1/80 11206"
std::optional<std::uint64_t> parse_thread_count(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    text.remove_prefix(slash + 1);
    std::uint64_t threads = 0;
    if (!take_number(text, threads) || !text.starts_with(' ')) return std::nullopt;
    return threads;
}

}  // namespace reaper::scanner
