// Hooks in the YAML of Hermes, line by line: a library would lose the comments of the file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agent/hooks/json_hooks.hpp"
#include "agent/hooks/parts.hpp"

namespace reaper::agent {

// The lines that a file without hooks gets.
[[nodiscard]] std::string yaml_block(const HookHost& host, std::string_view program);

// The element of the list alone, as an installation would put it in, without indentation.
[[nodiscard]] std::string yaml_item(const HookHost& host, std::string_view program);

// Adds the hook: as a block at the end, below the key `hooks`, or as the first one of its event.
// Refuses a file that refuse_yaml refuses, or whose hooks are written in another way.
[[nodiscard]] EditedText add_yaml_hook(std::string_view text, const HookHost& host,
                                       std::string_view program);

// Takes out every hook that install has written, and the keys that have nothing else below them.
// What `backup`, the text before the installation, had in place of those is put back. Refuses as
// the last one does.
[[nodiscard]] EditedText remove_yaml_hooks(std::string_view text, const HookHost& host,
                                           const std::optional<std::string>& backup);

// By hand counts whatever asks for a sweep and says that it is from the host, in whatever form, but
// not in a comment of its own line; also in a file that is not understood. In the host's own event
// it may say anything.
[[nodiscard]] FoundHooks find_yaml_hooks(std::string_view text, const HookHost& host);

// unknown: the file is not understood. unclear: it is, but not what asks for a sweep in there.
[[nodiscard]] HookState yaml_state(std::string_view text, const HookHost& host,
                                   std::string_view program);

}  // namespace reaper::agent
