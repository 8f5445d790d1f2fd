#include "scanner/parse/lease_path.hpp"

#include <algorithm>

namespace reaper::scanner {

namespace {

bool is_hexadecimal(std::string_view text, std::size_t length) {
    return text.size() == length && std::ranges::all_of(text, [](char letter) {
               return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f');
           });
}

// Takes the last name off the path.
std::string_view take_name(std::string_view& path) {
    const std::size_t slash = path.rfind('/');
    const std::string_view name = path.substr(slash + 1);
    path = path.substr(0, slash == std::string_view::npos ? 0 : slash);
    return name;
}

}  // namespace

std::optional<LeasePath> parse_lease_path(std::string_view path) {
    constexpr std::string_view kDeleted = " (deleted)";
    if (path.ends_with(kDeleted)) path.remove_suffix(kDeleted.size());
    LeasePath lease;
    if (!is_hexadecimal(take_name(path), 32) || take_name(path) != ".leases") return std::nullopt;
    lease.generation = take_name(path);
    if (lease.generation.empty() || take_name(path) != "environments") return std::nullopt;
    lease.install = path;
    if (!is_hexadecimal(take_name(path), 16) || take_name(path) != "installs") return std::nullopt;
    lease.root = path;
    return lease.root.starts_with('/') ? std::optional(lease) : std::nullopt;
}

}  // namespace reaper::scanner
