#include "scanner/activity.hpp"

#include <algorithm>

#include "scanner/directory.hpp"
#include "scanner/linux/descriptors.hpp"
#include "scanner/parse/proc_io.hpp"
#include "scanner/parse/proc_stat.hpp"
#include "scanner/read_file.hpp"

namespace reaper::scanner {

namespace {

constexpr std::size_t kFileLimit = 16 * 1024;

// The lock bytes of SQLite (os_unix.c, wal.c; sqlite.org/fileformat2.html). In -shm: writer,
// checkpointer, recoverer and readers. In the database file: the lock page, the only place that
// shows the checkpoint of the last close.
constexpr std::uint64_t kShmFirst = 120, kShmLast = 127;
constexpr std::uint64_t kPageFirst = 1073741824, kPageLast = 1073742335;

bool is_shared_memory_index(std::string_view path) {
    constexpr std::string_view kDeleted = " (deleted)";
    if (path.ends_with(kDeleted)) path.remove_suffix(kDeleted.size());
    return path.ends_with("-shm");
}

bool is_database_write_lock(const FileLock& lock, bool shared_memory_index) {
    const bool of_bytes =
        lock.kind == LockKind::posix || lock.kind == LockKind::open_file_description;
    if (!of_bytes || !lock.write) return false;
    return lock.overlaps(kPageFirst, kPageLast) ||
           (shared_memory_index && lock.overlaps(kShmFirst, kShmLast));
}

bool holds_database(const std::vector<LockedFile>& files) {
    return std::ranges::any_of(files, [](const LockedFile& file) {
        const bool index = is_shared_memory_index(file.path);
        return std::ranges::any_of(
            file.locks, [&](const FileLock& lock) { return is_database_write_lock(lock, index); });
    });
}

// Adds both counts, as a checkpoint inside the page cache moves only the first, and one through
// mapped memory only the second. That the sum counts some bytes twice does not matter, as it is
// only tested for growth. 0: it may not be read; CPU time remains.
std::uint64_t read_io(int process) {
    const auto io = read_at(process, "io", kFileLimit).and_then([](const FileText& text) {
        return parse_io(text.bytes);
    });
    return io ? io->called_bytes + io->stored_bytes : 0;
}

std::string read_wait_channel(int process) {
    const auto text = read_at(process, "wchan", kFileLimit);
    return text && text->bytes != "0" ? text->bytes : std::string();
}

Result<ProcStat> read_stat(int process) {
    return read_at(process, "stat", kFileLimit).and_then([](const FileText& text) {
        return parse_stat(text.bytes);
    });
}

Result<Activity> read_of(int process, Pid pid) {
    const auto stat = read_stat(process);
    if (!stat) return tl::unexpected(stat.error());
    // Its main thread has ended, and its descriptors are no longer shown: it may hold locks that
    // cannot be seen.
    if (stat->state == 'Z')
        return failure(std::errc::operation_not_permitted, "see the locks of",
                       "pid " + std::to_string(pid));
    const auto files = locked_files_of(process);
    if (!files) return tl::unexpected(files.error());
    Activity activity;
    activity.database_write_lock = holds_database(*files);
    activity.io_bytes = read_io(process);
    activity.cpu_ticks = stat->user_ticks + stat->system_ticks;
    activity.state = stat->state;
    if (stat->state == 'D') activity.wait_channel = read_wait_channel(process);
    return activity;
}

}  // namespace

Result<Activity> read_activity(const ProcessTable& table, const PidHandle& handle) {
    const auto process = open_process(table, handle.pid());
    auto activity = process ? read_of(process->get(), handle.pid())
                            : Result<Activity>(tl::unexpected(process.error()));
    // Checked last: what was read belongs to this process only if it still exists.
    if (handle.exited())
        return failure(std::errc::no_such_process, "watch", "pid " + std::to_string(handle.pid()));
    return activity;
}

}  // namespace reaper::scanner
