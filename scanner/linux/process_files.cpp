#include "scanner/linux/process_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "scanner/linux/descriptors.hpp"
#include "scanner/linux/read_file.hpp"
#include "scanner/number.hpp"
#include "scanner/proc_cmdline.hpp"
#include "scanner/script_path.hpp"

namespace reaper::scanner {

namespace {

constexpr std::size_t kStatusLimit = 64 * 1024;
constexpr std::size_t kEnvironmentLimit = 1024 * 1024;

// In the middle of execve(2) both texts are empty; a process that was started without any variables still has an argv.
bool may_be_starting(const ProcessRow& row) {
    return !row.command_line.ok() || row.command_line.value.argv.empty();
}

}  // namespace

Access access_of_failure(const Error& error) {
    constexpr std::array kOutOfForm = {std::errc::invalid_argument, std::errc::filename_too_long,
                                       std::errc::bad_message};
    if (std::ranges::any_of(kOutOfForm, [&](std::errc code) { return error.code == code; })) return Access::malformed;
    return access_of(error.code);
}

Result<ProcStatus> read_status(int process) {
    return read_at(process, "status", kStatusLimit).and_then([](const FileText& text) {
        return parse_status(text.bytes);
    });
}

Reading<std::string> read_cwd(int process) {
    auto target = read_link_at(process, "cwd");
    if (!target) return Reading<std::string>::failed(access_of_failure(target.error()));
    return Reading<std::string>::of(std::move(*target));
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

Environment read_environment(int process, const ProcessRow& row, std::span<const std::string> keys) {
    using Kept = Reading<std::map<std::string, std::string>>;
    static const std::array<std::string, 1> exec_pid_key = {"SYSTEMD_EXEC_PID"};
    const auto text = read_at(process, "environ", kEnvironmentLimit);
    if (!text) return {Kept::failed(access_of_failure(text.error())), false};
    if (text->truncated || (text->bytes.empty() && may_be_starting(row)))
        return {Kept::failed(Access::malformed), false};
    return {Kept::of(parse_environment(text->bytes, keys)), !parse_environment(text->bytes, exec_pid_key).empty()};
}

Reading<std::string> locate_script(const std::string& script, const Reading<std::string>& cwd) {
    using Script = Reading<std::string>;
    if (script.empty()) return {};
    if (!script.starts_with('/') && !cwd.ok()) return Script::failed(cwd.access);
    auto path = resolve_script(script, cwd.value);
    return path.empty() ? Script::failed(Access::malformed) : Script::of(std::move(path));
}

Reading<std::vector<std::string>> read_held_locks(int process) {
    using Paths = Reading<std::vector<std::string>>;
    auto files = locked_files_of(process);
    if (!files) return Paths::failed(access_of_failure(files.error()));
    std::vector<std::string> paths;
    for (LockedFile& file : *files) {
        const bool held =
            std::ranges::any_of(file.locks, [](const FileLock& lock) { return lock.kind == LockKind::flock; });
        if (held) paths.push_back(std::move(file.path));
    }
    return Paths::of(std::move(paths));
}

}  // namespace reaper::scanner
