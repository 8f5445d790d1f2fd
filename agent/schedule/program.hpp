// May this program be run every few minutes, unattended?
#pragma once

#include <string>
#include <string_view>

#include "scanner/model/identity.hpp"

namespace reaper::agent {

// Says why a program at this absolute path is not to be scheduled, by the path alone: it is gone
// soon (a temporary folder, a cache of npx or bunx), or a crontab and a unit would read the path
// differently. Empty: it may.
[[nodiscard]] std::string refuse_path(std::string_view path);

// Says the same of a program that Homebrew has installed, by the path without links: each version
// has one of its own.
[[nodiscard]] std::string refuse_cellar(std::string_view path);

// Says the same by what is there: a build folder above it, a file that is deleted, or one that
// another user than `uid` and root could change, or a folder above it.
[[nodiscard]] std::string refuse_place(const std::string& path, scanner::Uid uid);

}  // namespace reaper::agent
