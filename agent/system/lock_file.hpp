// A folder that is locked while a process works. The lock is flock(2)'s: the kernel releases it
// however its holder ends.
#pragma once

#include <sys/stat.h>

#include <string>
#include <vector>

#include "scanner/fd.hpp"
#include "scanner/model/identity.hpp"
#include "scanner/model/result.hpp"

namespace reaper::agent {

// True if it is a regular file of that user with one name: no other user can have put it there.
[[nodiscard]] bool belongs_to(const struct stat& status, scanner::Uid user);

// True if it has no name any more: another program can make a new one in its place, so that this
// lock keeps no process out.
[[nodiscard]] bool is_deleted(const Fd& file);

// Makes a folder, with those above it, where it is missing; then true. Root's own can be entered by
// all users, whatever the umask is: the services of users have their folders in it.
[[nodiscard]] Result<bool> make_state_folder(const std::string& folder);

// Opens the folder without locking it; makes it, for its user alone, where it is missing. Fails
// where it is not this user's.
[[nodiscard]] Result<Fd> open_lock_folder(const std::string& folder, const std::string& name);
// Does the same in the first of `folders` where that works.
[[nodiscard]] Result<Fd> open_lock_folder(const std::vector<std::string>& folders,
                                          const std::string& name);

}  // namespace reaper::agent
