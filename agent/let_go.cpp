#include "agent/let_go.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <tuple>

#include "scanner/fd.hpp"

namespace reaper::agent {

namespace {

// Since Linux 5.9, and glibc 2.34.
void close_from(int first, unsigned last) {
    if (static_cast<unsigned>(first) > last) return;
    ::syscall(SYS_close_range, static_cast<unsigned>(first), last, 0U);
}

}  // namespace

void let_go_of_all_but(std::vector<int> kept) {
    const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (null) {
            ::dup2(null.get(), fd);
        } else {
            ::close(fd);
        }
    }
    std::ranges::sort(kept);
    int next = STDERR_FILENO + 1;
    for (const int fd : kept) {
        close_from(next, static_cast<unsigned>(fd) - 1);
        next = fd + 1;
    }
    close_from(next, ~0U);
    std::ignore = ::chdir("/");
}

}  // namespace reaper::agent
