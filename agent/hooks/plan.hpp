// Decides what install and remove do to one host's file. Pure: reads and changes nothing.
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "agent/hooks/parts.hpp"

namespace reaper::agent {

// Where the host stands. `program`: its name or path, as an installation would write it; empty:
// there can be none.
[[nodiscard]] HookStatus hook_status(const HookPlace& place, std::string_view program);

// True if the file has a hook, of install or by hand.
[[nodiscard]] bool asks_already(const HookPlace& place);

// The error: why the file is not changed, as a sentence with the path in it.
using HookPlan = tl::expected<HookChange, std::string>;

// A hook that install has written otherwise is replaced. Changes nothing where it is installed
// already, also by hand, which the remark says.
[[nodiscard]] HookPlan plan_hook_install(const HookPlace& place, std::string_view program);

// Takes out exactly what install has added: the file is byte for byte what it was, if nothing else
// has changed in it; one that install has made is removed. Changes nothing where there is no hook.
// One that a person has written stays, and the remark says where it is.
[[nodiscard]] HookPlan plan_hook_remove(const HookPlace& place);

}  // namespace reaper::agent
