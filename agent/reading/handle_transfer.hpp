// Handles of processes in another process of this program than the one that opened them. Linux lets
// a copy inherit them, and sends them through sockets; macOS does neither with a kqueue(2), so
// there the process is found again by what never names another one.
#pragma once

#include <cstdint>
#include <optional>

#include "scanner/model/result.hpp"
#include "scanner/pid_handle.hpp"

namespace reaper::agent {

struct HandleName {
    scanner::Pid pid = 0;
    std::uint64_t inode = 0;  // PidHandle::inode(), where that is needed

    bool operator==(const HandleName&) const = default;
};

// To be called in the process that has opened it.
[[nodiscard]] HandleName name_of(const scanner::PidHandle& handle);

// False: only its name goes along.
[[nodiscard]] bool handles_travel();

// Returns a handle of the process of that name. `arrived`: what was inherited or received, and does
// for it where handles travel. no_such_process: it has ended. too_many_files_open: nothing arrived.
[[nodiscard]] Result<scanner::PidHandle> handle_of(const HandleName& name,
                                                   std::optional<scanner::PidHandle> arrived);

}  // namespace reaper::agent
