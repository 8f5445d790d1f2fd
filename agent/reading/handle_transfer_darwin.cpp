#include <string>

#include "agent/reading/handle_transfer.hpp"

namespace reaper::agent {

// 0 is the number of no process: one that has ended meanwhile is not found again.
HandleName name_of(const scanner::PidHandle& handle) {
    return {handle.pid(), handle.inode().value_or(0)};
}

bool handles_travel() {
    return false;
}

// What did not come along has a number that is free here: it goes first, or it would take the new
// handle, which gets that number, along.
Result<scanner::PidHandle> handle_of(const HandleName& name,
                                     std::optional<scanner::PidHandle> arrived) {
    arrived.reset();
    auto handle = scanner::PidHandle::open(name.pid);
    if (handle && handle->inode() != name.inode)
        return failure(std::errc::no_such_process, "open a handle of",
                       "pid " + std::to_string(name.pid));
    return handle;
}

}  // namespace reaper::agent
