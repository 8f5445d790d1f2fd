#include "scanner/interpreter.hpp"

namespace reaper::scanner {

namespace {

// "3.11", "-22" (Fedora's node), "3.13t" (free-threaded Python)
bool is_version(std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    if (text.ends_with('t')) text.remove_suffix(1);
    return !text.empty() && text.find_first_not_of("0123456789.") == std::string_view::npos;
}

}  // namespace

std::string_view without_deleted_mark(std::string_view exe) {
    constexpr std::string_view kDeleted = " (deleted)";
    if (exe.ends_with(kDeleted)) exe.remove_suffix(kDeleted.size());
    return exe;
}

bool is_interpreter(std::string_view exe, std::string_view name) {
    exe = without_deleted_mark(exe);
    exe.remove_prefix(exe.rfind('/') + 1);  // npos + 1 is 0: no slash, nothing to remove
    if (!exe.starts_with(name)) return false;
    return exe == name || is_version(exe.substr(name.size()));
}

}  // namespace reaper::scanner
