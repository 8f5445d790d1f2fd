// The process that a helper must not outlive.
#pragma once

#include <optional>
#include <string>

#include <tl/expected.hpp>

#include "agent/exit_status.hpp"
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

// `asked`, or whoever called this program. usage: it is gone, somebody else's, an init that ends last of all, or began after this program
// did, so that it only has the number of who asked for it. incomplete: could not look, or only at another pid namespace's table.
[[nodiscard]] tl::expected<RunHost, NoHost> find_host(const scanner::Procfs& procfs, std::optional<scanner::Pid> asked);

}  // namespace reaper::agent
