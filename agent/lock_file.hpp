// A file that is locked as long as somebody is at work. The lock is flock(2)'s: the kernel takes it back however its
// holder ends.
#pragma once

#include <sys/stat.h>

#include <string>
#include <vector>

#include "scanner/fd.hpp"
#include "scanner/identity.hpp"
#include "scanner/result.hpp"

namespace reaper::agent {

// Regular, of that user and under one name: nobody else can have put it there.
[[nodiscard]] bool belongs_to(const struct stat& status, scanner::Uid user);

// It has no name any more: somebody else can make another one in its place, so that it locks nobody out.
[[nodiscard]] bool is_deleted(const Fd& file);

// With all above it, where it is not there yet: then true. Root's own can be entered by all, whatever the umask is: the services of users
// have theirs in there.
[[nodiscard]] Result<bool> make_state_folder(const std::string& folder);

// Opened, not locked; made, with its folder, where it is missing and can be. Fails where it is not this user's.
[[nodiscard]] Result<Fd> open_lock_file(const std::string& folder, const std::string& name);
// The same in the first of `folders` where that can be done.
[[nodiscard]] Result<Fd> open_lock_file(const std::vector<std::string>& folders, const std::string& name);

}  // namespace reaper::agent
