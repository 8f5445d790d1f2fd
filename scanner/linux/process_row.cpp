#include <fcntl.h>
#include <sys/stat.h>

#include <string>
#include <string_view>

#include "scanner/linux/directory.hpp"
#include "scanner/linux/process_files.hpp"
#include "scanner/linux/read_file.hpp"
#include "scanner/proc_cgroup.hpp"
#include "scanner/proc_cmdline.hpp"
#include "scanner/proc_stat.hpp"
#include "scanner/proc_status.hpp"
#include "scanner/process_table.hpp"

namespace reaper::scanner {

namespace {

constexpr std::size_t kCommandLineLimit = 64 * 1024;  // a process can make it 6 MB
constexpr std::size_t kFileLimit = 64 * 1024;  // status lists every supplementary group; 65536 of them are allowed

template <class T>
Reading<T> not_read(const Error& error) {
    const bool malformed = error.code == std::errc::invalid_argument || error.code == std::errc::filename_too_long;
    return Reading<T>::failed(malformed ? Access::malformed : access_of(error.code));
}

// The kernel appends " (deleted)" to the name of a file that has none any more; a file can also really be named so.
Reading<std::string> read_exe(int directory) {
    constexpr std::string_view kDeleted = " (deleted)";
    auto target = read_link_at(directory, "exe");
    if (!target) return not_read<std::string>(target.error());
    struct stat status;
    if (target->ends_with(kDeleted) && ::fstatat(directory, "exe", &status, 0) == 0 && status.st_nlink == 0) {
        target->resize(target->size() - kDeleted.size());
    }
    return Reading<std::string>::of(std::move(*target));
}

Reading<CommandLine> read_command_line(int directory) {
    const auto text = read_at(directory, "cmdline", kCommandLineLimit);
    if (!text) return not_read<CommandLine>(text.error());
    return Reading<CommandLine>::of(parse_command_line(text->bytes, text->truncated));
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
    return read_at(directory, path, kFileLimit).and_then([&](const FileText& text) { return parse(text.bytes); });
}

// The subject becomes the pid, and all that proves its absence one code.
tl::unexpected<Error> row_failure(Error error, Pid pid) {
    if (access_of(error.code) == Access::gone) error.code = std::make_error_code(std::errc::no_such_process);
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
    row.start_ticks = stat.start_ticks;
    row.comm = std::move(stat.comm);
}

Result<Fd> open_directory(const Procfs& procfs, Pid pid) {
    Fd directory(::openat(procfs.fd(), std::to_string(pid).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!directory) return row_failure(system_failure("open", "/proc/PID").value(), pid);
    return directory;
}

}  // namespace

Result<ProcessRow> read_program(const Procfs& procfs, Pid pid) {
    const auto directory = open_directory(procfs, pid);
    if (!directory) return tl::unexpected(directory.error());
    ProcessRow row;
    row.pid = pid;
    row.exe = read_exe(directory->get());
    row.command_line = read_command_line(directory->get());
    return row;
}

Reading<std::map<std::string, std::string>> read_variables(const Procfs& procfs, Pid pid,
                                                           std::span<const std::string> keys) {
    using Variables = Reading<std::map<std::string, std::string>>;
    const auto directory = open_directory(procfs, pid);
    if (!directory) return Variables::failed(access_of(directory.error().code));
    return read_environment(directory->get(), {}, keys).kept;
}

// The handle of /proc/PID stays with one process, so all files are of that one even when the pid is given to another
// meanwhile. stat comes last: a process that still answers it was there all the time.
Result<Uid> read_real_uid(const Procfs& procfs, Pid pid) {
    const auto process = open_process(procfs, pid);
    if (!process) return tl::unexpected(process.error());
    return read_status(process->get()).map([](const ProcStatus& status) { return status.uids.real; });
}

Result<ProcessRow> read_row(const Procfs& procfs, Pid pid) {
    const auto opened = open_directory(procfs, pid);
    if (!opened) return tl::unexpected(opened.error());
    const Fd& directory = *opened;
    ProcessRow row;
    row.pid = pid;
    row.exe = read_exe(directory.get());
    row.command_line = read_command_line(directory.get());
    row.cgroup = read_cgroup(directory.get());
    // Real and effective user, also where the files below belong to root because the process may not be dumped.
    const auto status = read_and_parse(directory.get(), "status", parse_status);
    if (!status) return row_failure(status.error(), pid);
    if (status->tgid != pid) return row_failure(failure(std::errc::no_such_process, "find", "a thread").value(), pid);
    row.uid = status->uids.effective;
    auto stat = read_and_parse(directory.get(), "stat", parse_stat);
    if (!stat) return row_failure(stat.error(), pid);
    add_stat(row, std::move(*stat));
    return row;
}

}  // namespace reaper::scanner
