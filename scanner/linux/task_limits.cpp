#include "scanner/task_limits.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "scanner/access_guard.hpp"
#include "scanner/directory.hpp"
#include "scanner/linux/procfs.hpp"
#include "scanner/parse/task_limits.hpp"
#include "scanner/read_file.hpp"

namespace reaper::scanner {

namespace {

constexpr std::size_t kMostProcesses = 64;
constexpr std::size_t kMountsLimit = 4 * 1024 * 1024;
constexpr std::size_t kTextLimit = 65536;
constexpr double kNear = 0.5;

std::string text_at(const ProcessTable& table, const std::string& path,
                    std::size_t limit = kTextLimit) {
    auto text = read_at(fd_of(table), path.c_str(), limit);
    return text && !text->truncated ? std::move(text->bytes) : std::string();
}

// "self" for this program, then the others.
std::vector<std::string> folders_of(std::span<const Pid> processes) {
    std::vector<std::string> names{"self"};
    for (const Pid pid : processes.first(std::min(processes.size(), kMostProcesses)))
        names.push_back(std::to_string(pid));
    return names;
}

std::set<std::string> cgroup_folders(const ProcessTable& table, std::span<const Pid> processes) {
    std::set<std::string> folders;
    const auto hierarchies = find_pids_hierarchies(text_at(table, "self/mountinfo", kMountsLimit));
    for (const std::string& name : folders_of(processes)) {
        const std::string cgroups = text_at(table, name + "/cgroup");
        for (const PidsHierarchy& hierarchy : hierarchies)
            add_pids_folders(hierarchy, cgroups, folders);
    }
    return folders;
}

std::optional<std::uint64_t> pids_number(const Fd& folder, const char* name) {
    const auto text = read_at(folder.get(), name, 64);
    const auto number = text ? parse_pids_number(text->bytes) : std::nullopt;
    return number ? number->value : std::nullopt;
}

bool is_cgroup(const Fd& folder) {
    struct statfs system{};
    return ::fstatfs(folder.get(), &system) == 0 &&
           (system.f_type == CGROUP2_SUPER_MAGIC || system.f_type == CGROUP_SUPER_MAGIC);
}

TaskLimit read_folder(const std::string& path) {
    if (!may_read(::geteuid(), path)) return {};
    const Fd folder(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!folder || !is_cgroup(folder)) return {};
    return {pids_number(folder, "pids.current"), pids_number(folder, "pids.max"), path};
}

// The kernel does not limit root of the machine (kernel/fork.c, copy_process). Inside of a user
// namespace, root is another user.
bool is_unlimited(const ProcessTable& table, Uid user) {
    const std::string map = text_at(table, "self/uid_map");
    const std::size_t inner = map.find_first_not_of(' ');
    if (user != 0 || inner == std::string::npos) return false;
    const std::size_t outer = map.find_first_not_of(' ', map.find(' ', inner));
    return map.substr(inner, 2) == "0 " && outer != std::string::npos &&
           map.substr(outer, 2) == "0 ";
}

void lower(TaskLimit& limit, const ProcessTable& table, const std::string& name) {
    const auto own = parse_process_limit(text_at(table, name + "/limits"));
    if (!own || !own->value || (limit.most && *limit.most <= *own->value)) return;
    limit.most = own->value;
    limit.where = name == "self" ? "this program" : "pid " + name;
}

bool is_owned_by(int directory, const char* path, Uid user) {
    struct stat status{};
    return ::fstatat(directory, path, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_uid == user;
}

// The links of /proc/PID/task are "." and "..", and one for each thread. A zombie still has one.
std::uint64_t count_tasks(const ProcessTable& table, Uid user) {
    constexpr std::uint64_t kOwnLinks = 2;
    std::uint64_t tasks = 0;
    for (const int pid : list_numbers_at(fd_of(table), ".").value_or(std::vector<int>())) {
        struct stat status{};
        const std::string path = std::to_string(pid) + "/task";
        if (!is_owned_by(fd_of(table), std::to_string(pid).c_str(), user) ||
            ::fstatat(fd_of(table), path.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        tasks += std::max<std::uint64_t>(status.st_nlink, kOwnLinks) - kOwnLinks;
    }
    return tasks;
}

bool may_be_near(const ProcessTable& table, std::uint64_t most) {
    const auto all = parse_thread_count(text_at(table, "loadavg"));
    return !all || static_cast<double>(*all) >= kNear * static_cast<double>(most);
}

}  // namespace

TaskLimit read_cgroup_limit(const ProcessTable& table, std::span<const Pid> processes) {
    TaskLimit nearest;
    for (const std::string& folder : cgroup_folders(table, processes)) {
        TaskLimit limit = read_folder(folder);
        const bool first = !nearest.most && limit.most;
        if (first || used_part(limit) > used_part(nearest)) nearest = std::move(limit);
    }
    return nearest;
}

TaskLimit read_user_limit(const ProcessTable& table, Uid user, std::span<const Pid> processes) {
    TaskLimit limit;
    if (!is_unlimited(table, user)) {
        for (const std::string& name : folders_of(processes)) {
            if (is_owned_by(fd_of(table), name == "self" ? "self/" : name.c_str(), user))
                lower(limit, table, name);
        }
    }
    if (limit.most && may_be_near(table, *limit.most)) limit.used = count_tasks(table, user);
    return limit;
}

}  // namespace reaper::scanner
