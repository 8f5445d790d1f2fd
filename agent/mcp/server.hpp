// The loop of `mcp`: lines from stdin, answers to stdout, and one call at a time in a copy of this
// program. So nothing that a call does can hold up the server, and nothing stays in its memory.
#pragma once

#include "agent/mcp/call.hpp"
#include "scanner/model/result.hpp"

namespace reaper::agent {

// Serves until stdin or stdout is closed, INT, TERM or HUP comes, or the process that started this
// one has ended: then a call that is being worked on is ended, and this returns. Fails when no
// signal could be seen.
[[nodiscard]] Result<void> serve_mcp(bool allows_sweep, const ToolWork& work);

}  // namespace reaper::agent
