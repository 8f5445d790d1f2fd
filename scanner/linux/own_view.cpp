#include "scanner/own_view.hpp"

#include "scanner/directory.hpp"
#include "scanner/linux/own_folders.hpp"
#include "scanner/linux/procfs.hpp"

namespace reaper::scanner {

bool shares_our_view(const ProcessTable& table, Pid pid, const std::string& home) {
    const auto row = read_short_row(table, pid);
    const auto process = open_process(table, pid);
    if (!row || !process) return false;
    const auto theirs = namespace_at(process->get(), "ns/pid");
    const auto ours = namespace_at(fd_of(table), "self/ns/pid");
    if (!theirs || !ours || *theirs != *ours) return false;
    const auto same_root = has_our_root(table, process->get(), *row);
    if (!same_root.ok() || !same_root.value) return false;
    const auto same_home = sees_our_folder(process->get(), row->uid, home);
    return same_home.ok() && same_home.value;
}

}  // namespace reaper::scanner
