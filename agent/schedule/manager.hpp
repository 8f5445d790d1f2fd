// How to reach a systemd manager and its kin from here.
#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "agent/cli/cli.hpp"
#include "agent/schedule/parts.hpp"

namespace reaper::agent {

// Returns XDG_RUNTIME_DIR if that is a folder of this user, else its place in /run/user.
[[nodiscard]] std::string runtime_folder();

// What a command needs to find the manager of this user: XDG_RUNTIME_DIR and
// DBUS_SESSION_BUS_ADDRESS, where they are not set and /run/user has them.
[[nodiscard]] std::vector<std::string> manager_environment();

// False: no manager of this user runs. True: it is worth to ask.
[[nodiscard]] bool may_have_user_manager();

// Returns what was found, with the units, files and crontab that concern `wish`. What could not be
// looked at is in the ...trouble of the situation. Fails where the user is not known, or its home
// does not answer.
[[nodiscard]] tl::expected<Situation, Message> find_situation(const ScheduleWish& wish);

// True if a process is called like a cron daemon. A /proc that hides other users' processes hides
// it.
[[nodiscard]] bool is_cron_running();

// Returns a folder that only root can write to, and that a boot empties.
[[nodiscard]] const char* folder_of_turns();

}  // namespace reaper::agent
