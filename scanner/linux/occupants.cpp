#include "scanner/occupants.hpp"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "scanner/access_guard.hpp"
#include "scanner/directory.hpp"
#include "scanner/inspector.hpp"
#include "scanner/linux/descriptors.hpp"
#include "scanner/linux/leases.hpp"
#include "scanner/linux/own_folders.hpp"
#include "scanner/linux/process_files.hpp"
#include "scanner/linux/procfs.hpp"
#include "scanner/parse/interpreter.hpp"
#include "scanner/parse/script_path.hpp"
#include "scanner/read_file.hpp"

namespace reaper::scanner {

namespace {

using Folders = std::vector<std::string>;

constexpr std::size_t kMapsLimit = std::size_t{8} * 1024 * 1024;

bool lies_below(std::string_view path, const Folders& folders) {
    return std::ranges::any_of(folders, [path](const std::string& folder) {
        return path.starts_with(folder) && path.substr(folder.size()).starts_with('/');
    });
}

bool is_there(Uid user, const std::string& path) {
    return !path.empty() && may_read(user, path) && ::access(path.c_str(), F_OK) == 0;
}

bool is_nested(int process) {
    const auto status = read_status(process);
    return !status || status->namespace_pids.size() > 1;
}

// Returns the folders that the process can mean: in a container or with another root, the same path
// may lead to another install. A folder that cannot be compared counts, unless
// the process may be in a container.
Folders in_sight(int process, Uid user, const Folders& folders) {
    const bool nested = is_nested(process);
    Folders seen;
    std::ranges::copy_if(folders, std::back_inserter(seen), [&](const std::string& folder) {
        const Reading<bool> same = sees_our_folder(process, user, folder);
        return same.ok() ? same.value : !nested;
    });
    return seen;
}

std::string variable_of(const ProcessTable& table, Pid pid, const std::string& name) {
    const auto variables = read_variables(table, pid, {&name, 1});
    const auto found = variables.value.find(name);
    return found == variables.value.end() ? std::string() : found->second;
}

bool runs_scripts(const std::string& exe) {
    constexpr std::string_view kNames[] = {"python", "node", "nodejs", "bun",
                                           "deno",   "bash", "sh",     "dash"};
    return std::ranges::any_of(kNames,
                               [&](std::string_view name) { return is_interpreter(exe, name); });
}

// Returns the program as it was called. In a virtual environment the interpreter is a link, so exe
// names another Python. If PATH found it, an activated environment came first there.
std::string called_as(const ProcessTable& table, const ProcessRow& row, const std::string& cwd) {
    const auto& argv = row.command_line.value.argv;
    if (argv.empty()) return {};
    if (argv.front().find('/') != std::string::npos) return resolve_script(argv.front(), cwd);
    if (!is_interpreter(row.exe.value, "python")) return {};
    const std::string environment = variable_of(table, row.pid, "VIRTUAL_ENV");
    return environment.empty() ? std::string() : environment + "/bin/" + argv.front();
}

// Returns the path of a module, which Python looks for in the working directory first.
std::string module_path(Uid user, std::string name, const std::string& cwd) {
    std::ranges::replace(name, '.', '/');
    const std::string path = resolve_script(name, cwd);
    return is_there(user, path + ".py") || is_there(user, path) ? path : std::string();
}

// Returns the first argument that is a file; values of the interpreter's own options are none. For
// processes of other users argv is shown while exe is not.
std::string script_of(const ProcessRow& row, const std::string& cwd) {
    const auto& argv = row.command_line.value.argv;
    if (argv.empty() || !runs_scripts(row.exe.ok() ? row.exe.value : argv.front())) return {};
    for (std::size_t at = 1; at < argv.size(); ++at) {
        if (argv[at - 1] == "-m") return module_path(row.uid, argv[at], cwd);
        if (argv[at].starts_with('-')) continue;
        std::string path = resolve_script(argv[at], cwd);
        if (is_there(row.uid, path)) return path;
    }
    return {};
}

// Returns the first mapped file below one of the installs.
std::string mapped_file(Pid pid, int process, const Folders& installs) {
    const auto maps = may_read_memory(pid) ? read_at(process, "maps", kMapsLimit)
                                           : failure(std::errc::timed_out, "read", "maps");
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

std::string path_into_install(const ProcessTable& table, int process, const ProcessRow& row,
                              const Folders& installs) {
    if (installs.empty()) return {};
    const std::string cwd = read_cwd(process, row.uid).value;
    for (std::string path : {row.exe.value, called_as(table, row, cwd), script_of(row, cwd)}) {
        if (lies_below(path, installs)) return path;
    }
    return mapped_file(row.pid, process, installs);
}

// Takes what it has open below the homes. False: that is too much to be read.
bool take_open_files(int process, const Folders& homes, const DescriptorAccount& account,
                     Occupant& occupant) {
    auto open = open_files_of(process, {}, account);
    if (!open) return open.error().code != std::errc::file_too_large;
    std::vector<std::string>& found = occupant.deleted_databases;
    found = std::move(open->deleted_databases);
    std::erase_if(found, [&](const std::string& path) { return !lies_below(path, homes); });
    std::ranges::sort(found);
    found.erase(std::ranges::unique(found).begin(), found.end());
    if (!open->has_lease) return true;
    const Uid user = occupant.row.uid;
    const auto locked = read_held_locks(process, account);
    if (locked.access == Access::denied) return false;
    occupant.leases = read_leases(process, user, locked.value);
    std::erase_if(occupant.leases,
                  [&](const Lease& lease) { return !lies_below(lease.install, homes); });
    return true;
}

}  // namespace

Result<Occupancy> find_occupants(const ProcessTable& table, const InstallPaths& paths) {
    const auto pids = list_numbers_at(fd_of(table), ".");
    if (!pids) return tl::unexpected(pids.error());
    Occupancy found;
    DescriptorBudget budget;
    for (const Pid pid : *pids) {
        auto row = read_row(table, pid);
        if (!row) continue;
        found.parents[pid] = row->ppid;
        const auto process = open_process(table, pid);
        if (!process || row->kernel_thread || row->state == 'Z') continue;
        const bool shows_argv_only = !row->exe.ok() && !row->command_line.value.argv.empty();
        if (shows_argv_only && !is_nested(process->get())) found.unseen.push_back(*row);
        Occupant occupant;
        occupant.row.uid = row->uid;
        occupant.through = path_into_install(table, process->get(), *row,
                                             in_sight(process->get(), row->uid, paths.installs));
        const DescriptorAccount account{&budget, read_real_uid(table, pid).value_or(row->uid)};
        if (!take_open_files(process->get(), in_sight(process->get(), row->uid, paths.homes),
                             account, occupant))
            found.overfull.push_back(*row);
        if (occupant.through.empty() && occupant.deleted_databases.empty() &&
            occupant.leases.empty())
            continue;
        // systemd sets this for the process that it starts; its children inherit the value
        // unchanged.
        occupant.heads_service = variable_of(table, pid, "SYSTEMD_EXEC_PID") == std::to_string(pid);
        occupant.user = user_name(row->uid);
        occupant.row = std::move(*row);
        found.occupants.push_back(std::move(occupant));
    }
    std::ranges::sort(found.occupants, {},
                      [](const Occupant& occupant) { return occupant.row.pid; });
    std::ranges::sort(found.unseen, {}, &ProcessRow::pid);
    std::ranges::sort(found.overfull, {}, &ProcessRow::pid);
    return found;
}

}  // namespace reaper::scanner
