#include "agent/run/cgroup.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <ranges>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "scanner/machine.hpp"
#include "scanner/model/number.hpp"
#include "scanner/own_process.hpp"
#include "scanner/parse/proc_cgroup.hpp"
#include "scanner/pid_handle.hpp"

namespace reaper::agent {

namespace {

// Where systemd and every container put it; on the hybrid layout beside the controllers of
// version 1.
Result<std::string> find_hierarchy() {
    for (const char* folder : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
        struct statfs filesystem{};
        if (::statfs(folder, &filesystem) == 0 && filesystem.f_type == CGROUP2_SUPER_MAGIC)
            return folder;
    }
    return failure(std::errc::no_such_file_or_directory, "find", "a cgroup hierarchy of version 2");
}

constexpr std::string_view kPrefix = "orphan-reaper-";

// Names the owner. No two of one machine are alike, also where several pid namespaces share a
// cgroup.
Result<std::string> own_name(const scanner::ProcessTable& table) {
    const auto place = scanner::read_place(table);
    if (!place) return tl::unexpected(place.error());
    return scanner::read_stat(table, place->self).map([&](const scanner::ProcStat& own) {
        return fmt::format("{}{}-{}-{}", kPrefix, place->pid_namespace, place->self,
                           own.start_ticks);
    });
}

struct Owner {
    std::uint64_t pid_namespace = 0;
    scanner::Pid pid = 0;
    std::uint64_t start_ticks = 0;
};

std::optional<Owner> owner_in(std::string_view name) {
    if (!name.starts_with(kPrefix)) return std::nullopt;
    name.remove_prefix(kPrefix.size());
    Owner owner;
    const auto take_dash = [&name] {
        return name.starts_with('-') && (name.remove_prefix(1), true);
    };
    const bool whole = scanner::take_number(name, owner.pid_namespace) && take_dash() &&
                       scanner::take_number(name, owner.pid) && take_dash() &&
                       scanner::take_number(name, owner.start_ticks) && name.empty();
    return whole && owner.pid > 0 ? std::optional(owner) : std::nullopt;
}

// A process that has its pid now, but began at another time, is not the owner. Where that cannot be
// told, it lives.
bool is_dead(const scanner::ProcessTable& table, const Owner& owner) {
    const auto handle = scanner::PidHandle::open(owner.pid);
    if (!handle) return handle.error().code == std::errc::no_such_process;
    const auto stat = scanner::read_stat(table, owner.pid);
    return handle->exited() || (stat && stat->start_ticks != owner.start_ticks);
}

// Removes the deepest first. The kernel refuses those that have a process.
void remove_all_below(const std::filesystem::path& folder) {
    std::error_code error;
    std::vector<std::filesystem::path> below;
    for (auto entry = std::filesystem::recursive_directory_iterator(folder, error);
         !error && entry != std::filesystem::recursive_directory_iterator();
         entry.increment(error)) {
        if (entry->is_directory(error)) below.push_back(entry->path());
    }
    for (const auto& path : std::views::reverse(below)) ::rmdir(path.c_str());
}

}  // namespace

Result<OwnCgroup> OwnCgroup::make(const scanner::ProcessTable& table) {
    const auto hierarchy = find_hierarchy();
    if (!hierarchy) return tl::unexpected(hierarchy.error());
    const auto own = scanner::read_own_cgroups(table).and_then(
        [](const std::string& text) { return scanner::unified_path(text); });
    if (!own) return tl::unexpected(own.error());
    const auto name = own_name(table);
    if (!name) return tl::unexpected(name.error());
    const std::string path = fmt::format("{}{}/{}", *hierarchy, *own == "/" ? "" : *own, *name);
    if (::mkdir(path.c_str(), 0755) != 0) return system_failure("make", path);
    OwnCgroup cgroup(path, Fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
    if (cgroup.folder_ && ::faccessat(cgroup.folder(), "cgroup.kill", W_OK, AT_EACCESS) == 0)
        return cgroup;
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

// Never what is in one: the kernel refuses to remove a cgroup that has processes or others below
// it.
std::vector<std::string> remove_leftover_cgroups(const scanner::ProcessTable& table) {
    std::vector<std::string> removed;
    const auto hierarchy = find_hierarchy();
    const auto place = scanner::read_place(table);
    if (!hierarchy || !place) return removed;
    std::vector<std::filesystem::path> found;
    std::error_code error;
    for (auto entry = std::filesystem::recursive_directory_iterator(*hierarchy, error);
         !error && entry != std::filesystem::recursive_directory_iterator();
         entry.increment(error)) {
        const auto owner = owner_in(entry->path().filename().native());
        if (owner && owner->pid_namespace == place->pid_namespace && entry->is_directory(error))
            found.push_back(entry->path());
    }
    for (const auto& path : std::views::reverse(found)) {  // one inside of another comes first
        const auto owner = owner_in(path.filename().native());
        if (is_dead(table, *owner) && ::rmdir(path.c_str()) == 0) removed.push_back(path.native());
    }
    return removed;
}

}  // namespace reaper::agent
