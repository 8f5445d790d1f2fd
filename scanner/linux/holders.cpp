#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <string>
#include <unordered_map>

#include "scanner/directory.hpp"
#include "scanner/fd.hpp"
#include "scanner/inspector.hpp"
#include "scanner/linux/descriptors.hpp"
#include "scanner/linux/procfs.hpp"
#include "scanner/linux/sock_diag.hpp"
#include "scanner/read_file.hpp"

namespace reaper::scanner {

namespace {

// What it means if a descriptor has a certain link: it is the far end of this pipe or socket.
struct FarEnd {
    std::uint64_t inode = 0;
    // Both ends of a pipe have one inode. The far end of stdin is the one that is written to.
    bool written = false;
};
using FarEnds = std::unordered_map<std::string, FarEnd>;

FarEnds far_ends(const std::vector<std::uint64_t>& inodes) {
    FarEnds ends;
    for (const std::uint64_t inode : inodes) {
        ends.emplace("pipe:[" + std::to_string(inode) + "]", FarEnd{inode, true});
        const auto socket = find_unix_socket(inode);
        if (socket && socket->peer.value_or(0) != 0)
            ends.emplace("socket:[" + std::to_string(*socket->peer) + "]", FarEnd{inode, false});
    }
    return ends;
}

// Tells by the permission bits of the link how the descriptor was opened (proc(5), /proc/PID/fd).
bool may_write(int process, const std::string& name) {
    struct stat status{};
    return ::fstatat(process, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           (status.st_mode & S_IWUSR) != 0;
}

void add_holder(Pid pid, int process, const FarEnds& ends, const DescriptorAccount& account,
                Holders& holders) {
    const auto numbers = account.list(process, "fd");
    if (!numbers) return;
    for (const int number : *numbers) {
        const std::string name = "fd/" + std::to_string(number);
        const auto link = read_link_at(process, name.c_str());
        const auto end = link ? ends.find(*link) : ends.end();
        if (end == ends.end() || (end->second.written && !may_write(process, name))) continue;
        std::vector<Pid>& found = holders[end->second.inode];
        if (found.empty() || found.back() != pid) found.push_back(pid);
    }
}

}  // namespace

Holders find_holders(const ProcessTable& table, const std::vector<std::uint64_t>& inodes) {
    auto pids = list_numbers_at(fd_of(table), ".");
    if (!pids) return {};
    std::ranges::sort(*pids);
    const FarEnds ends = far_ends(inodes);
    Holders holders;
    DescriptorBudget budget;
    for (const Pid pid : *pids) {
        const auto process = open_process(table, pid);
        const auto user = process ? read_real_uid(table, pid) : tl::unexpected(process.error());
        if (user) add_holder(pid, process->get(), ends, {&budget, *user}, holders);
    }
    return holders;
}

}  // namespace reaper::scanner
