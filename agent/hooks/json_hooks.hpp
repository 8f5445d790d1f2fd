// Hooks in the JSON of a host's own settings: added, found and taken out as text, so that all else
// keeps its bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "agent/hooks/parts.hpp"

namespace reaper::agent {

// The new text; the error: why the text is not to be changed, as the end of a sentence.
using EditedText = tl::expected<std::string, std::string>;

// Appends the hook. Refuses what is no strict JSON, is not in the form that the host gives it, or
// would not come out as meant, which is looked at by parsing it again.
[[nodiscard]] EditedText add_json_hook(std::string_view text, const HookHost& host,
                                       std::string_view program);

// Takes out every hook that install has written, and the groups, lists and objects that are empty
// for it. Those that stand in `backup`, the text before the installation, stay. Refuses as the last
// one does.
[[nodiscard]] EditedText remove_json_hooks(std::string_view text, const HookHost& host,
                                           const std::optional<std::string>& backup);

// True if both texts are the same but for blanks.
[[nodiscard]] bool is_same_json(std::string_view one, std::string_view other);

// Nothing where it does not parse. By hand counts whatever asks for a sweep: below "hooks", for any
// event, where it says that it is from the host, and in the host's own event whatever it says.
[[nodiscard]] FoundHooks find_json_hooks(std::string_view text, const HookHost& host);

// True if the host is told by this file to run no hooks.
[[nodiscard]] bool has_hooks_off(std::string_view text, const HookHost& host);

// Also of a text with comments. unknown: it does not parse.
[[nodiscard]] HookState json_state(std::string_view text, const HookHost& host,
                                   std::string_view program);

}  // namespace reaper::agent
