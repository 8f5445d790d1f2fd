// How many files this process may have open. A handle is an open file, so this is how many
// processes it can hold at once.
#pragma once

#include <cstddef>
#include <string>

namespace reaper::agent {

// Raises the limit to what the system allows. restore_descriptor_limit() must run in each child
// that becomes another program: it may rely on fewer (select(2)).
void raise_descriptor_limit();

// Sets the limit to what it was before.
void restore_descriptor_limit();

// How many handles can be held now, beside the files that looking, locking and the history need.
[[nodiscard]] std::size_t room_for_handles();

// "only 24 files may be open (RLIMIT_NOFILE)"
[[nodiscard]] std::string describe_descriptor_limit();

}  // namespace reaper::agent
