#include "agent/own_cgroup.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <ranges>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "scanner/linux/kernel.hpp"
#include "scanner/linux/read_file.hpp"
#include "scanner/proc_cgroup.hpp"

namespace reaper::agent {

namespace {

// Where systemd and every container put it; on the hybrid layout beside the controllers of version 1.
Result<std::string> find_hierarchy() {
    for (const char* folder : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
        struct statfs filesystem{};
        if (::statfs(folder, &filesystem) == 0 && filesystem.f_type == scanner::kernel::kCgroup2Magic) return folder;
    }
    return failure(std::errc::no_such_file_or_directory, "find", "a cgroup hierarchy of version 2");
}

// No two of one machine are alike, also where several pid namespaces share a cgroup.
std::string fresh_name() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return fmt::format("orphan-reaper-{}-{}{:09}", ::getpid(), now.tv_sec, now.tv_nsec);
}

// Deepest first. The kernel refuses those where anybody is.
void remove_all_below(const std::filesystem::path& folder) {
    std::error_code error;
    std::vector<std::filesystem::path> below;
    for (auto entry = std::filesystem::recursive_directory_iterator(folder, error);
         !error && entry != std::filesystem::recursive_directory_iterator(); entry.increment(error)) {
        if (entry->is_directory(error)) below.push_back(entry->path());
    }
    for (const auto& path : std::views::reverse(below)) ::rmdir(path.c_str());
}

}  // namespace

Result<OwnCgroup> OwnCgroup::make(const scanner::Procfs& procfs) {
    const auto hierarchy = find_hierarchy();
    if (!hierarchy) return tl::unexpected(hierarchy.error());
    const auto own = scanner::read_at(procfs.fd(), "self/cgroup", 65536).and_then([](const scanner::FileText& text) {
        return scanner::unified_path(text.bytes);
    });
    if (!own) return tl::unexpected(own.error());
    const std::string path = fmt::format("{}{}/{}", *hierarchy, *own == "/" ? "" : *own, fresh_name());
    if (::mkdir(path.c_str(), 0755) != 0) return system_failure("make", path);
    OwnCgroup cgroup(path, Fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
    if (cgroup.folder_ && ::faccessat(cgroup.folder(), "cgroup.kill", W_OK, AT_EACCESS) == 0) return cgroup;
    const auto error = system_failure("use", path);
    cgroup.remove();
    return error;
}

// There is one below where a `run` inside of this one was killed.
void OwnCgroup::remove() const {
    for (int tries = 0; tries < 100; ++tries) {
        remove_all_below(path_);
        if (::rmdir(path_.c_str()) == 0 || errno != EBUSY) return;
        ::poll(nullptr, 0, 10);
    }
}

}  // namespace reaper::agent
