#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>

#include "scanner/fd.hpp"
#include "scanner/inspector.hpp"
#include "scanner/linux/directory.hpp"
#include "scanner/linux/read_file.hpp"
#include "scanner/linux/sock_diag.hpp"

namespace reaper::scanner {

namespace {

// What the link of a descriptor at the far end says.
struct FarEnd {
    std::string link;
    bool written = false;  // the two ends of a pipe have one inode; the far end of stdin is the one that is written to
};

std::vector<FarEnd> far_ends(std::uint64_t inode) {
    std::vector<FarEnd> ends{{"pipe:[" + std::to_string(inode) + "]", true}};
    const auto socket = find_unix_socket(inode);
    if (socket && socket->peer.value_or(0) != 0)
        ends.push_back({"socket:[" + std::to_string(*socket->peer) + "]", false});
    return ends;
}

// The permission bits of the link itself show how the descriptor was opened (proc(5), /proc/PID/fd).
bool may_write(int process, const std::string& name) {
    struct stat status{};
    return ::fstatat(process, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && (status.st_mode & S_IWUSR) != 0;
}

bool holds(int process, const std::vector<FarEnd>& ends) {
    const auto numbers = list_numbers_at(process, "fd");
    if (!numbers) return false;
    return std::ranges::any_of(*numbers, [&](int number) {
        const std::string name = "fd/" + std::to_string(number);
        const auto link = read_link_at(process, name.c_str());
        return link && std::ranges::any_of(ends, [&](const FarEnd& end) {
                   return *link == end.link && (!end.written || may_write(process, name));
               });
    });
}

}  // namespace

std::vector<Pid> find_holders(const Procfs& procfs, std::uint64_t inode, Pid except) {
    const auto pids = list_numbers_at(procfs.fd(), ".");
    if (!pids) return {};
    const auto ends = far_ends(inode);
    std::vector<Pid> found;
    for (const Pid pid : *pids) {
        if (pid == except) continue;
        const auto process = open_process(procfs, pid);
        if (process && holds(process->get(), ends)) found.push_back(pid);
    }
    std::ranges::sort(found);
    return found;
}

}  // namespace reaper::scanner
