// Finds out which users could have put a rule file where it is, or taken it away.
#pragma once

#include <sys/stat.h>

#include <string>

#include <tl/expected.hpp>

namespace reaper::agent {

// Says why another user than `owner` and root could have written this file or folder of rules;
// empty: none could.
[[nodiscard]] std::string distrust(const struct stat& status, uid_t owner);

// Says the same of a folder above them. A group may write it: users have groups of their own, and
// umasks that trust them. Others may where each can move only its own files (a sticky folder).
[[nodiscard]] std::string distrust_above(const struct stat& status, uid_t owner);

struct Way {
    bool exists = true;  // false: nothing has this name, or that of a folder above it
    std::string
        distrust;  // the first place on the way that others could change, and why; empty: none
};

// Looks at the folder at an absolute `path`, at all folders above it, and at all that links on the
// way lead through. The error: a link leads nowhere, or a place cannot be looked at.
[[nodiscard]] tl::expected<Way, std::string> way_to(const std::string& path, uid_t owner);

// The same where no group may write either, but root's and the one that has the number of `owner`:
// a program that runs unasked is worth more than a rule.
[[nodiscard]] tl::expected<Way, std::string> strict_way_to(const std::string& path, uid_t owner);

}  // namespace reaper::agent
