// What is installed, and what would be changed, as text and JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/hooks/parts.hpp"
#include "agent/system/exit_status.hpp"

namespace reaper::agent {

struct HooksView {
    std::string version = {};
    std::string program = {};  // as a hook names it; empty: it is not to be installed
    std::string refusal = {};  // why not
    std::vector<HookStatus> hosts = {};
    std::optional<bool> ends_agents = {};   // as in agents_pack.hpp; none: there are no rules
    std::vector<std::string> remarks = {};  // sentences for the person, at the end of the text
};

// 0: each host that is there has its hook; 1: one has none, that of another version, one that is
// off or not understood; 4: a file could not be read or understood. `named`: hosts that are not
// there count as having none.
[[nodiscard]] ExitStatus exit_status_of(const std::vector<HookStatus>& hosts, bool named);

[[nodiscard]] std::string render_hooks(const HooksView& view);
[[nodiscard]] std::string render_hooks_json(const HooksView& view, ExitStatus exit_status);

// The entries that a change adds and takes out, and nothing of the file: there may be secrets in
// it.
[[nodiscard]] std::string change_text(const HookChange& change);

}  // namespace reaper::agent
