#include <string>

#include "agent/reading/handle_transfer.hpp"

namespace reaper::agent {

HandleName name_of(const scanner::PidHandle& handle) {
    return {handle.pid(), 0};
}

bool handles_travel() {
    return true;
}

Result<scanner::PidHandle> handle_of(const HandleName& name,
                                     std::optional<scanner::PidHandle> arrived) {
    if (arrived) return *std::move(arrived);
    return failure(std::errc::too_many_files_open, "take a handle of",
                   "pid " + std::to_string(name.pid));
}

}  // namespace reaper::agent
