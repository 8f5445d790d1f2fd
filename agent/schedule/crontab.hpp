// The text of a crontab: what install adds to it, and nothing else, is changed. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace reaper::agent {

// The line between the markers; none: there is none.
[[nodiscard]] std::optional<std::string> find_cron_line(std::string_view crontab);

// Returns what a line of a crontab runs, without its times and, with `has_user`, without its user;
// empty: it is a comment, as one that a person has switched off.
[[nodiscard]] std::string command_of_cron_line(std::string_view line, bool has_user);

// True if there are markers that are no pair around one line: then it is not known what install has
// written, and nothing must be changed.
[[nodiscard]] bool has_stray_markers(std::string_view crontab);

// Returns `crontab` with `line` between the markers, in the place of an earlier one, else at the
// end. All other bytes stay.
[[nodiscard]] std::string with_cron_line(std::string_view crontab, std::string_view line);

// Returns `crontab` without the markers and what is between them.
[[nodiscard]] std::string without_cron_line(std::string_view crontab);

// The same for /etc/cron.d/orphan-reaper, where each user has one line, "FIELDS USER COMMAND".
// Other lines of that user stay. An empty `file` gets its first line; nothing but that is left:
// empty.
[[nodiscard]] std::optional<std::string> find_system_line(std::string_view file,
                                                          std::string_view user);
[[nodiscard]] std::string with_system_line(std::string_view file, std::string_view user,
                                           std::string_view line);
[[nodiscard]] std::string without_system_line(std::string_view file, std::string_view user);

}  // namespace reaper::agent
