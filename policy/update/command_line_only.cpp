#include "policy/update/command_line_only.hpp"

#include <algorithm>
#include <iterator>

namespace reaper::policy {

namespace {

// True for a module or relative script that an interpreter of the system runs: only its working
// directory tells where that is.
bool may_lie_anywhere(const scanner::ProcessRow& row, const Match& match) {
    constexpr std::string_view kFolders[] = {"", "/bin/", "/usr/bin/", "/usr/local/bin/"};
    const std::string_view program = row.command_line.value.argv.front();
    const std::string_view folder = program.substr(0, program.rfind('/') + 1);
    const bool of_system = std::ranges::find(kFolders, folder) != std::end(kFolders);
    return of_system && !match.invocation.script.starts_with('/');
}

}  // namespace

std::optional<Match> match_by_command_line(const scanner::ProcessRow& row, const Rules& rules,
                                           bool is_occupant) {
    if (row.command_line.value.argv.empty()) return std::nullopt;
    scanner::ProcessRow named = row;
    if (!row.exe.ok())
        named.exe = scanner::Reading<std::string>::of(row.command_line.value.argv.front());
    auto found = match(rules, named);
    if (!found || found->needs_mark) return std::nullopt;
    // Other users but root do nothing in this home.
    const bool concerns_us = is_occupant || (row.uid == 0 && may_lie_anywhere(row, *found));
    return concerns_us ? std::move(found) : std::nullopt;
}

}  // namespace reaper::policy
