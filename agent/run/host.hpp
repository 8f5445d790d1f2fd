// The process that a helper must not outlive.
#pragma once

#include <optional>
#include <string>

#include <tl/expected.hpp>

#include "agent/system/exit_status.hpp"
#include "scanner/pid_handle.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

struct RunHost {
    scanner::PidHandle handle;
    scanner::Identity identity;
    std::string comm;
};

// Why there is no host, for people.
struct NoHost {
    std::string why;
    ExitStatus status = ExitStatus::usage;
};

// Finds the process `asked`, or the caller of this program. usage: it is gone, belongs to another
// user, is an init, which ends last of all, or began after this program did, so that it only has
// the number of the caller. incomplete: could not look, or only at the table of another pid
// namespace.
[[nodiscard]] tl::expected<RunHost, NoHost> find_host(const scanner::ProcessTable& table,
                                                      std::optional<scanner::Pid> asked);

}  // namespace reaper::agent
