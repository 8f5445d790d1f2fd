#include "scanner/occupants.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "scanner/inspector.hpp"
#include "scanner/interpreter.hpp"
#include "scanner/linux/descriptors.hpp"
#include "scanner/linux/directory.hpp"
#include "scanner/linux/process_files.hpp"
#include "scanner/linux/read_file.hpp"
#include "scanner/script_path.hpp"

namespace reaper::scanner {

namespace {

using Folders = std::vector<std::string>;

constexpr std::size_t kMapsLimit = std::size_t{8} * 1024 * 1024;

bool lies_below(std::string_view path, const Folders& folders) {
    return std::ranges::any_of(folders, [path](const std::string& folder) {
        return path.starts_with(folder) && path.substr(folder.size()).starts_with('/');
    });
}

bool is_there(const std::string& path) {
    return !path.empty() && ::access(path.c_str(), F_OK) == 0;
}

// A container can have an install of its own at the same path.
bool sees_the_same(int process, const std::string& folder) {
    struct stat here{};
    struct stat there{};
    const std::string below = "root" + folder;
    return ::stat(folder.c_str(), &here) == 0 && ::fstatat(process, below.c_str(), &there, 0) == 0 &&
           here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

bool is_nested(int process) {
    const auto status = read_status(process);
    return !status || status->namespace_pids.size() > 1;
}

// Of those folders, the ones that it can be about.
Folders in_sight(int process, const Folders& folders) {
    if (!is_nested(process)) return folders;
    Folders seen;
    std::ranges::copy_if(folders, std::back_inserter(seen),
                         [process](const std::string& folder) { return sees_the_same(process, folder); });
    return seen;
}

std::string variable_of(const Procfs& procfs, Pid pid, const std::string& name) {
    const auto variables = read_variables(procfs, pid, {&name, 1});
    const auto found = variables.value.find(name);
    return found == variables.value.end() ? std::string() : found->second;
}

bool runs_scripts(const std::string& exe) {
    constexpr std::string_view kNames[] = {"python", "node", "nodejs", "bun", "deno", "bash", "sh", "dash"};
    return std::ranges::any_of(kNames, [&](std::string_view name) { return is_interpreter(exe, name); });
}

// The program as it was called: the interpreter of a virtual environment is a link, so that exe says where another Python lies. Where it
// was found by PATH, that began with an environment that was activated.
std::string called_as(const Procfs& procfs, const ProcessRow& row, const std::string& cwd) {
    const auto& argv = row.command_line.value.argv;
    if (argv.empty()) return {};
    if (argv.front().find('/') != std::string::npos) return resolve_script(argv.front(), cwd);
    if (!is_interpreter(row.exe.value, "python")) return {};
    const std::string environment = variable_of(procfs, row.pid, "VIRTUAL_ENV");
    return environment.empty() ? std::string() : environment + "/bin/" + argv.front();
}

// A module is looked for in the working directory first.
std::string module_path(std::string name, const std::string& cwd) {
    std::ranges::replace(name, '.', '/');
    const std::string path = resolve_script(name, cwd);
    return is_there(path + ".py") || is_there(path) ? path : std::string();
}

// The first word that is a file; values of the interpreter's own options are none. Of other users' processes argv is shown, and exe is not.
std::string script_of(const ProcessRow& row, const std::string& cwd) {
    const auto& argv = row.command_line.value.argv;
    if (argv.empty() || !runs_scripts(row.exe.ok() ? row.exe.value : argv.front())) return {};
    for (std::size_t at = 1; at < argv.size(); ++at) {
        if (argv[at - 1] == "-m") return module_path(argv[at], cwd);
        if (argv[at].starts_with('-')) continue;
        std::string path = resolve_script(argv[at], cwd);
        if (is_there(path)) return path;
    }
    return {};
}

// The first mapped file below one of them.
std::string mapped_file(int process, const Folders& installs) {
    const auto maps = read_at(process, "maps", kMapsLimit);
    if (!maps) return {};
    for (std::string_view rest = maps->bytes; !rest.empty();) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        const std::size_t path = line.find('/');
        if (path != std::string_view::npos && lies_below(line.substr(path), installs))
            return std::string(line.substr(path));
    }
    return {};
}

std::string way_in(const Procfs& procfs, int process, const ProcessRow& row, const Folders& installs) {
    if (installs.empty()) return {};
    const std::string cwd = read_cwd(process).value;
    for (std::string path : {row.exe.value, called_as(procfs, row, cwd), script_of(row, cwd)}) {
        if (lies_below(path, installs)) return path;
    }
    return mapped_file(process, installs);
}

std::vector<std::string> lost_databases(int process, const Folders& homes) {
    auto open = open_files_of(process, {});
    if (!open) return {};
    std::vector<std::string>& found = open->deleted_databases;
    std::erase_if(found, [&](const std::string& path) { return !lies_below(path, homes); });
    std::ranges::sort(found);
    found.erase(std::ranges::unique(found).begin(), found.end());
    return std::move(found);
}

}  // namespace

Result<Occupancy> find_occupants(const Procfs& procfs, const Premises& premises) {
    const auto pids = list_numbers_at(procfs.fd(), ".");
    if (!pids) return tl::unexpected(pids.error());
    Occupancy found;
    for (const Pid pid : *pids) {
        auto row = read_row(procfs, pid);
        if (!row) continue;
        found.parents[pid] = row->ppid;
        const auto process = open_process(procfs, pid);
        if (!process || row->kernel_thread || row->state == 'Z') continue;
        const bool shows_argv_only = !row->exe.ok() && !row->command_line.value.argv.empty();
        if (shows_argv_only && !is_nested(process->get())) found.unseen.push_back(*row);
        Occupant occupant;
        occupant.through = way_in(procfs, process->get(), *row, in_sight(process->get(), premises.installs));
        occupant.deleted_databases = lost_databases(process->get(), in_sight(process->get(), premises.homes));
        if (occupant.through.empty() && occupant.deleted_databases.empty()) continue;
        // systemd tells the process that it starts, and whatever that starts inherits it.
        occupant.heads_service = variable_of(procfs, pid, "SYSTEMD_EXEC_PID") == std::to_string(pid);
        occupant.user = user_name(row->uid);
        occupant.row = std::move(*row);
        found.occupants.push_back(std::move(occupant));
    }
    std::ranges::sort(found.occupants, {}, [](const Occupant& occupant) { return occupant.row.pid; });
    std::ranges::sort(found.unseen, {}, &ProcessRow::pid);
    return found;
}

}  // namespace reaper::scanner
