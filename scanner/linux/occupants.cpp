#include "scanner/occupants.hpp"

#include <unistd.h>

#include <algorithm>
#include <map>
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

constexpr std::size_t kMapsLimit = std::size_t{8} * 1024 * 1024;

bool lies_below(std::string_view path, const std::vector<std::string>& folders) {
    return std::ranges::any_of(folders, [path](const std::string& folder) {
        return path.starts_with(folder) && path.substr(folder.size()).starts_with('/');
    });
}

bool runs_scripts(const std::string& exe) {
    constexpr std::string_view kNames[] = {"python", "node", "nodejs", "bun", "deno", "bash", "sh", "dash"};
    return std::ranges::any_of(kNames, [&](std::string_view name) { return is_interpreter(exe, name); });
}

// The program as it was called: the interpreter of a venv is a link, so that exe says where another Python lies.
std::string called_as(const ProcessRow& row, const Reading<std::string>& cwd) {
    const auto& argv = row.command_line.value.argv;
    const bool is_path = !argv.empty() && argv.front().find('/') != std::string::npos;
    return is_path ? resolve_script(argv.front(), cwd.value) : std::string();
}

std::string script_of(const ProcessRow& row, const Reading<std::string>& cwd) {
    const auto& argv = row.command_line.value.argv;
    if (argv.empty() || !runs_scripts(row.exe.value)) return {};
    const auto word = std::find_if(argv.begin() + 1, argv.end(), [](const auto& one) { return !one.starts_with('-'); });
    if (word == argv.end()) return {};
    // A module is looked for in the working directory first.
    std::string path = *(word - 1) == "-m" ? cwd.value + "/" + *word : resolve_script(*word, cwd.value);
    const bool is_module_or_file = *(word - 1) == "-m" || ::access(path.c_str(), F_OK) == 0;
    return is_module_or_file ? path : std::string();
}

// The first mapped file below one of them.
std::string mapped_file(int process, const std::vector<std::string>& installs) {
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

std::string way_in(int process, const ProcessRow& row, const std::vector<std::string>& installs) {
    const auto cwd = read_cwd(process);
    for (std::string path : {row.exe.value, called_as(row, cwd), script_of(row, cwd)}) {
        if (lies_below(path, installs)) return path;
    }
    return mapped_file(process, installs);
}

std::vector<std::string> lost_databases(int process, const std::vector<std::string>& homes) {
    auto open = open_files_of(process, {});
    if (!open) return {};
    std::vector<std::string>& found = open->deleted_databases;
    std::erase_if(found, [&](const std::string& path) { return !lies_below(path, homes); });
    std::ranges::sort(found);
    found.erase(std::ranges::unique(found).begin(), found.end());
    return std::move(found);
}

using Parents = std::map<Pid, Pid>;

std::vector<Pid> ancestors_of(Pid pid, const Parents& parents) {
    std::vector<Pid> ancestors;
    for (auto at = parents.find(pid); at != parents.end() && at->second > 0; at = parents.find(at->second)) {
        if (ancestors.size() > parents.size()) break;  // a pid was used again meanwhile
        ancestors.push_back(at->second);
    }
    return ancestors;
}

}  // namespace

Result<std::vector<Occupant>> find_occupants(const Procfs& procfs, const Premises& premises) {
    const auto pids = list_numbers_at(procfs.fd(), ".");
    if (!pids) return tl::unexpected(pids.error());
    std::vector<Occupant> occupants;
    Parents parents;
    for (const Pid pid : *pids) {
        auto row = read_row(procfs, pid);
        if (!row) continue;
        parents[pid] = row->ppid;
        const auto process = open_process(procfs, pid);
        if (!process || row->kernel_thread || row->state == 'Z') continue;
        Occupant occupant{{},
                          {},
                          way_in(process->get(), *row, premises.installs),
                          lost_databases(process->get(), premises.homes),
                          {}};
        if (occupant.through.empty() && occupant.deleted_databases.empty()) continue;
        occupant.user = user_name(row->uid);
        occupant.row = std::move(*row);
        occupants.push_back(std::move(occupant));
    }
    for (Occupant& occupant : occupants) occupant.ancestors = ancestors_of(occupant.row.pid, parents);
    std::ranges::sort(occupants, {}, [](const Occupant& occupant) { return occupant.row.pid; });
    return occupants;
}

}  // namespace reaper::scanner
