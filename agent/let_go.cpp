#include "agent/let_go.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <tuple>

#include "scanner/fd.hpp"
#include "scanner/linux/directory.hpp"

namespace reaper::agent {

namespace {

void let_go_of_stdio() {
    const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (null) {
            ::dup2(null.get(), fd);
        } else {
            ::close(fd);
        }
    }
}

}  // namespace

void let_go_of_all_but(const scanner::Procfs& procfs, const std::vector<int>& kept) {
    let_go_of_stdio();  // first: there is a descriptor free for the list then
    for (const int fd : scanner::list_numbers_at(procfs.fd(), "self/fd").value_or(std::vector<int>())) {
        if (fd > STDERR_FILENO && std::ranges::find(kept, fd) == kept.end()) ::close(fd);
    }
    std::ignore = ::chdir("/");
}

}  // namespace reaper::agent
