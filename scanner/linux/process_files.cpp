#include "scanner/linux/process_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "scanner/access_guard.hpp"
#include "scanner/linux/descriptors.hpp"
#include "scanner/model/number.hpp"
#include "scanner/parse/interpreter.hpp"
#include "scanner/parse/proc_cmdline.hpp"
#include "scanner/parse/script_path.hpp"
#include "scanner/read_file.hpp"

namespace reaper::scanner {

namespace {

constexpr std::size_t kStatusLimit = 64 * 1024;
constexpr std::size_t kEnvironmentLimit = 1024 * 1024;

// In the middle of execve(2) both texts are empty. A process that was started without any variables
// still has an argv.
bool may_be_starting(const ProcessRow& row) {
    return !row.command_line.ok() || row.command_line.value.argv.empty();
}

// The path is valid in the root of this program or, in another mount namespace, in that of the
// process.
bool is_no_name_of_cwd(int process, const std::string& path) {
    struct stat cwd{};
    if (::fstatat(process, "cwd", &cwd, 0) != 0) return false;
    const auto is_cwd = [&cwd, process](const std::string& name) {
        struct stat named{};
        return ::fstatat(process, name.c_str(), &named, 0) == 0 && named.st_dev == cwd.st_dev &&
               named.st_ino == cwd.st_ino;
    };
    return !is_cwd(path) && !is_cwd("root" + path);
}

}  // namespace

Access access_of_failure(const Error& error) {
    constexpr std::array kOutOfForm = {std::errc::invalid_argument, std::errc::filename_too_long,
                                       std::errc::bad_message};
    if (std::ranges::any_of(kOutOfForm, [&](std::errc code) { return error.code == code; }))
        return Access::malformed;
    return access_of(error.code);
}

Result<ProcStatus> read_status(int process) {
    return read_at(process, "status", kStatusLimit).and_then([](const FileText& text) {
        return parse_status(text.bytes);
    });
}

// The kernel appends a mark to the path of a folder that was removed; a folder can also have that
// name.
Reading<std::string> read_cwd(int process, Uid user) {
    auto target = read_link_at(process, "cwd");
    if (!target) return Reading<std::string>::failed(access_of_failure(target.error()));
    const std::string_view unmarked = without_deleted_mark(*target);
    const bool marked = unmarked.size() < target->size();
    if (marked && !may_read(user, *target)) return Reading<std::string>::failed(Access::denied);
    if (marked && is_no_name_of_cwd(process, *target)) target->resize(unmarked.size());
    return Reading<std::string>::of(std::move(*target));
}

// Only what the kernel marks is asked for its link count, which a file system may have to fetch.
bool has_deleted_cwd(int process, Uid user) {
    const auto target = read_link_at(process, "cwd");
    if (!target || without_deleted_mark(*target).size() == target->size()) return false;
    struct stat status{};
    return may_read(user, *target) && ::fstatat(process, "cwd", &status, 0) == 0 &&
           status.st_nlink == 0;
}

bool has_deleted_exe(int process) {
    struct stat status{};
    return ::fstatat(process, "exe", &status, 0) == 0 && status.st_nlink == 0;
}

std::uint64_t read_resident_bytes(int process) {
    static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    const auto text = read_at(process, "statm", 256);
    if (!text) return 0;
    std::string_view rest = text->bytes;  // "total resident shared ...", in pages
    std::uint64_t total = 0;
    std::uint64_t resident = 0;
    if (!take_number(rest, total) || !rest.starts_with(' ')) return 0;
    rest.remove_prefix(1);
    return take_number(rest, resident) ? resident * page : 0;
}

Reading<std::map<std::string, std::string>> read_environment(int process, const ProcessRow& row,
                                                             std::span<const std::string> keys) {
    using Kept = Reading<std::map<std::string, std::string>>;
    if (!may_read_memory(row.pid)) return Kept::failed(Access::denied);
    const auto text = read_at(process, "environ", kEnvironmentLimit);
    if (!text) return Kept::failed(access_of_failure(text.error()));
    if (text->truncated || (text->bytes.empty() && may_be_starting(row)))
        return Kept::failed(Access::malformed);
    return Kept::of(parse_environment(text->bytes, keys));
}

Reading<std::string> locate_script(const std::string& script, const Reading<std::string>& cwd) {
    using Script = Reading<std::string>;
    if (script.empty()) return {};
    if (!script.starts_with('/') && !cwd.ok()) return Script::failed(cwd.access);
    auto path = resolve_script(script, cwd.value);
    return path.empty() ? Script::failed(Access::malformed) : Script::of(std::move(path));
}

Reading<std::vector<std::string>> read_held_locks(int process, const DescriptorAccount& account) {
    using Paths = Reading<std::vector<std::string>>;
    auto files = locked_files_of(process, account);
    if (!files) return Paths::failed(access_of_failure(files.error()));
    std::vector<std::string> paths;
    for (LockedFile& file : *files) {
        const bool held = std::ranges::any_of(
            file.locks, [](const FileLock& lock) { return lock.kind == LockKind::flock; });
        if (held) paths.push_back(std::move(file.path));
    }
    return Paths::of(std::move(paths));
}

}  // namespace reaper::scanner
