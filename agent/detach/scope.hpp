// A transient unit of its own: what stops a host's service, or kills what is left in its cgroup,
// does not reach this program there.
#pragma once

#include <string>

namespace reaper::agent {

// Asks the manager of this user, for root that of the system, to move this process into a scope of
// its own, with all that it holds. `description` is what the manager shows. False: no manager that
// sees this process runs, or it has not moved it in time; then it stays where it is.
[[nodiscard]] bool enter_own_scope(const std::string& description);

}  // namespace reaper::agent
