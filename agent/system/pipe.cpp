#include "agent/system/pipe.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>

namespace reaper::agent {

Fd keep_to_self(int raw) {
    if (raw >= 0) ::fcntl(raw, F_SETFD, FD_CLOEXEC);
    return Fd(raw);
}

Result<Pipe> make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) return system_failure("make", "a pipe");
    return Pipe{keep_to_self(ends[0]), keep_to_self(ends[1])};
}

void never_wait(const Fd& fd) {
    ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

}  // namespace reaper::agent
