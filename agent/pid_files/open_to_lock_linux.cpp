#include <fcntl.h>

#include <string>

#include "agent/pid_files/open_to_lock.hpp"

namespace reaper::agent {

// It was found without being opened: no lock can be taken on that (O_PATH).
Fd open_to_lock(const scanner::FoundFile& found) {
    const std::string link = "/proc/self/fd/" + std::to_string(found.path.get());
    return Fd(::open(link.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
}

}  // namespace reaper::agent
