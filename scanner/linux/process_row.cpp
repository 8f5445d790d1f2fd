#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "scanner/access_guard.hpp"
#include "scanner/directory.hpp"
#include "scanner/linux/process_files.hpp"
#include "scanner/linux/procfs.hpp"
#include "scanner/parse/interpreter.hpp"
#include "scanner/parse/proc_cgroup.hpp"
#include "scanner/parse/proc_cmdline.hpp"
#include "scanner/parse/proc_stat.hpp"
#include "scanner/parse/proc_status.hpp"
#include "scanner/process_table.hpp"
#include "scanner/read_file.hpp"

namespace reaper::scanner {

namespace {

constexpr std::size_t kCommandLineLimit = 64 * 1024;  // a process can make it 6 MB
// status lists every supplementary group, of which 65536 are allowed.
constexpr std::size_t kFileLimit = 64 * 1024;

template <class T>
Reading<T> not_read(const Error& error) {
    const bool malformed =
        error.code == std::errc::invalid_argument || error.code == std::errc::filename_too_long;
    return Reading<T>::failed(malformed ? Access::malformed : access_of(error.code));
}

// The kernel appends " (deleted)" to the name of a file that has none any more; a file can also
// have that name.
Reading<std::string> read_exe(int directory) {
    constexpr std::string_view kDeleted = " (deleted)";
    auto target = read_link_at(directory, "exe");
    if (!target) return not_read<std::string>(target.error());
    struct stat status;
    if (target->ends_with(kDeleted) && ::fstatat(directory, "exe", &status, 0) == 0 &&
        status.st_nlink == 0) {
        target->resize(target->size() - kDeleted.size());
    }
    return Reading<std::string>::of(std::move(*target));
}

Reading<CommandLine> read_command_line(int directory) {
    const auto text = read_at(directory, "cmdline", kCommandLineLimit);
    if (!text) return not_read<CommandLine>(text.error());
    return Reading<CommandLine>::of(parse_command_line(text->bytes, text->truncated));
}

// Asks the guard before the first access, so that all texts belong to this process.
void read_names(int directory, ProcessRow& row) {
    const bool may_read = may_read_memory(row.pid);
    row.exe = may_read ? read_exe(directory) : Reading<std::string>::failed(Access::denied);
    row.command_line =
        may_read ? read_command_line(directory) : Reading<CommandLine>::failed(Access::denied);
}

Reading<std::string> read_cgroup(int directory) {
    const auto path = read_at(directory, "cgroup", kFileLimit).and_then([](const FileText& text) {
        return systemd_path(text.bytes);
    });
    if (!path) return not_read<std::string>(path.error());
    return Reading<std::string>::of(*path);
}

template <class Parser>
auto read_and_parse(int directory, const char* path, Parser parse) {
    return read_at(directory, path, kFileLimit).and_then([&](const FileText& text) {
        return parse(text.bytes);
    });
}

// Makes the pid the subject, and gives all errors that prove absence one code.
tl::unexpected<Error> row_failure(Error error, Pid pid) {
    if (access_of(error.code) == Access::gone)
        error.code = std::make_error_code(std::errc::no_such_process);
    error.subject = "pid " + std::to_string(pid) + " (" + error.subject + ")";
    return tl::unexpected(std::move(error));
}

void add_stat(ProcessRow& row, ProcStat stat) {
    row.ppid = stat.ppid;
    row.pgrp = stat.pgrp;
    row.session = stat.session;
    row.tty = stat.tty;
    row.state = stat.state;
    row.threads = stat.threads;
    row.kernel_thread = stat.kernel_thread();
    row.forked = stat.forked();
    row.start_ticks = stat.start_ticks;
    row.comm = std::move(stat.comm);
}

Result<Fd> open_directory(const ProcessTable& table, Pid pid) {
    Fd directory(
        ::openat(fd_of(table), std::to_string(pid).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!directory) return row_failure(system_failure("open", "/proc/PID").value(), pid);
    return directory;
}

// Reads real and effective uid from status, as the files belong to root if the process is not
// dumpable.
Result<ProcessRow> with_status(const Fd& directory, ProcessRow row) {
    const auto status = read_and_parse(directory.get(), "status", parse_status);
    if (!status) return row_failure(status.error(), row.pid);
    if (status->tgid != row.pid)
        return row_failure(failure(std::errc::no_such_process, "find", "a thread").value(),
                           row.pid);
    row.uid = status->uids.effective;
    auto stat = read_and_parse(directory.get(), "stat", parse_stat);
    if (!stat) return row_failure(stat.error(), row.pid);
    add_stat(row, std::move(*stat));
    return row;
}

}  // namespace

Result<ProcessRow> read_program(const ProcessTable& table, Pid pid) {
    const auto directory = open_directory(table, pid);
    if (!directory) return tl::unexpected(directory.error());
    ProcessRow row;
    row.pid = pid;
    read_names(directory->get(), row);
    return row;
}

Reading<std::string> read_working_folder(const ProcessTable& table, Pid pid) {
    const auto directory = open_directory(table, pid);
    const auto uids = read_uids(table, pid);
    if (!directory || !uids)
        return Reading<std::string>::failed(
            access_of((directory ? uids.error() : directory.error()).code));
    return read_cwd(directory->get(), uids->effective);
}

Reading<std::map<std::string, std::string>> read_variables(const ProcessTable& table, Pid pid,
                                                           std::span<const std::string> keys) {
    using Variables = Reading<std::map<std::string, std::string>>;
    const auto directory = open_directory(table, pid);
    if (!directory) return Variables::failed(access_of(directory.error().code));
    ProcessRow row;
    row.pid = pid;
    return read_environment(directory->get(), row, keys);
}

Result<Uids> read_uids(const ProcessTable& table, Pid pid) {
    const auto process = open_process(table, pid);
    if (!process) return tl::unexpected(process.error());
    return read_status(process->get()).map([](const ProcStatus& status) { return status.uids; });
}

Result<Uid> read_real_uid(const ProcessTable& table, Pid pid) {
    return read_uids(table, pid).map([](const Uids& uids) { return uids.real; });
}

bool runs_one_of(const ProcessTable& table, Pid pid, std::span<const std::string> interpreters) {
    const auto process = open_process(table, pid);
    const auto exe =
        process ? read_link_at(process->get(), "exe") : tl::unexpected(process.error());
    return exe && is_one_of(*exe, interpreters);
}

// The handle of /proc/PID stays with one process, even if the pid is reused meanwhile. stat is read
// last: a process that still answers it existed all the time.
Result<ProcessRow> read_row(const ProcessTable& table, Pid pid) {
    const auto opened = open_directory(table, pid);
    if (!opened) return tl::unexpected(opened.error());
    const Fd& directory = *opened;
    ProcessRow row;
    row.pid = pid;
    read_names(directory.get(), row);
    row.cgroup = read_cgroup(directory.get());
    return with_status(directory, std::move(row));
}

Result<ProcessRow> read_short_row(const ProcessTable& table, Pid pid) {
    const auto directory = open_directory(table, pid);
    if (!directory) return tl::unexpected(directory.error());
    ProcessRow row;
    row.pid = pid;
    return with_status(*directory, std::move(row));
}

}  // namespace reaper::scanner
