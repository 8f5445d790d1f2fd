// The units of packaging/systemd, compiled in: what is written where no package has installed them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace reaper::agent {

// The text of "orphan-reaper@.service" and the like with the path of this program, below the line
// that says that install wrote it. Empty: there is no such unit.
[[nodiscard]] std::string unit_text(std::string_view name, std::string_view program);

// The settings of its [Service] section that say how it is confined, each "Name=value", for a
// command that is to run like it. %i and %S stand for `account` and /var/lib.
[[nodiscard]] std::vector<std::string> confinement_of(std::string_view name,
                                                      std::string_view account);

}  // namespace reaper::agent
