// Where hosts keep their hooks on this machine, and what is there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/hooks/parts.hpp"
#include "scanner/model/result.hpp"

namespace reaper::agent {

// More than any settings are.
inline constexpr std::size_t kMostOfHookFile = std::size_t{1} << 20U;

// The home of the user that runs this. For root that of its account, as HOME may be the one of the
// user that called sudo.
[[nodiscard]] Result<std::string> home_of_caller();

// Reads the host's file. Never fails: what could not be read, or must not be changed, is in there.
// That are files of other users, also for root; links that lead nowhere, files with several names,
// and what is no regular file.
[[nodiscard]] HookPlace find_hook_place(const HookHost& host, const std::string& home);

// How a hook names this program: by its name where the folders of the system lead there, else by
// its path. `refusal` says why it is not to be named at all: it will be gone soon, or other users
// could change it.
struct HookProgram {
    std::string name = {};
    std::string refusal = {};
};
[[nodiscard]] HookProgram find_hook_program();

// Does what the plan says. Fails with text_file_busy, before anything is done, where the file is
// not any more what the plan was made for. The new file appears as a whole, with the mode and the
// owner of the old one.
[[nodiscard]] Result<void> carry_out(const HookChange& change);

}  // namespace reaper::agent
