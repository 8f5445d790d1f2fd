#include "scanner/interpreter.hpp"

namespace reaper::scanner {

bool is_interpreter(std::string_view exe, std::string_view name) {
    constexpr std::string_view kDeleted = " (deleted)";
    if (exe.ends_with(kDeleted)) exe.remove_suffix(kDeleted.size());
    exe.remove_prefix(exe.rfind('/') + 1);  // npos + 1 is 0: no slash, nothing to remove
    if (!exe.starts_with(name)) return false;
    return exe.find_first_not_of("0123456789.", name.size()) == std::string_view::npos;
}

}  // namespace reaper::scanner
