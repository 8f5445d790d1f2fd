#include "agent/reaping/close_descriptors.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <tuple>

#include "scanner/fd.hpp"
#include "scanner/own_process.hpp"

namespace reaper::agent {

void detach_stdio() {
    const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (null) {
            ::dup2(null.get(), fd);
        } else {
            ::close(fd);
        }
    }
}

void close_descriptors_keeping_directory(const scanner::ProcessTable& table,
                                         const std::vector<int>& kept) {
    detach_stdio();  // first: there is a descriptor free for the list then
    const auto own = table.descriptors();
    const auto is_in = [](const std::vector<int>& list, int fd) {
        return std::ranges::find(list, fd) != list.end();
    };
    for (const int fd : scanner::list_own_descriptors(table)) {
        if (fd > STDERR_FILENO && !is_in(kept, fd) && !is_in(own, fd)) ::close(fd);
    }
}

void close_descriptors_except(const scanner::ProcessTable& table, const std::vector<int>& kept) {
    close_descriptors_keeping_directory(table, kept);
    std::ignore = ::chdir("/");
}

}  // namespace reaper::agent
