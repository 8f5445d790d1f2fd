// The process that a helper must not outlive.
#pragma once

#include <optional>
#include <string>

#include <tl/expected.hpp>

#include "scanner/pid_handle.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

struct RunHost {
    scanner::PidHandle handle;
    scanner::Identity identity;
    std::string comm;
};

// `asked`, or whoever called this program. A text for people: it is gone, somebody else's, an init that ends last of all, or began
// after this program did, so that it only has the number of who asked for it.
[[nodiscard]] tl::expected<RunHost, std::string> find_host(const scanner::Procfs& procfs,
                                                           std::optional<scanner::Pid> asked);

}  // namespace reaper::agent
