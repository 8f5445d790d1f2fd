// The watches that run, and whether their program is still the one that is installed.
#include <algorithm>

#include "agent/doctor/gather.hpp"
#include "agent/rules/sources.hpp"
#include "scanner/directory.hpp"
#include "scanner/own_view.hpp"
#include "scanner/read_file.hpp"

namespace reaper::agent {

namespace {

// Behind its name.
bool has_word(const scanner::ProcessRow& row, std::string_view word) {
    const auto& argv = row.command_line.value.argv;
    return !argv.empty() && std::find(argv.begin() + 1, argv.end(), word) != argv.end();
}

bool is_stopped(const scanner::ProcessRow& row) {
    return row.state == 'T';
}

bool is_deleted(const scanner::ProcessTable& table, scanner::Pid pid) {
    const auto link = scanner::open_process(table, pid).and_then([](const Fd& process) {
        return scanner::read_link_at(process.get(), "exe");
    });
    return link && link->ends_with(" (deleted)");
}

// ".../app.slice/orphan-reaper-watch.service"
std::string unit_of(const scanner::ProcessRow& row) {
    if (!row.cgroup.ok()) return {};
    const std::string& path = row.cgroup.value;
    const std::string name = path.substr(path.rfind('/') + 1);
    return name.ends_with(".service") ? name : std::string();
}

}  // namespace

// A watch sweeps in copies of itself, which are its children: they are not listed. Nor is one of a
// container, which sees other processes.
std::vector<RunningWatch> find_watches(const scanner::ProcessTable& table,
                                       std::optional<scanner::Uid> uid) {
    std::vector<RunningWatch> watches;
    const auto walked = scanner::walk(table, {.uid = uid, .interpreters = {"orphan-reaper"}});
    if (!walked) return watches;
    for (const scanner::Pid pid : walked->candidates) {
        const auto row = scanner::read_row(table, pid);
        const auto is_parent = [&](const RunningWatch& watch) { return watch.pid == row->ppid; };
        const bool is_watch = row && has_word(*row, "watch") && !is_stopped(*row) &&
                              scanner::shares_our_view(table, pid, own_home());
        if (is_watch && std::ranges::none_of(watches, is_parent))
            watches.push_back(
                {pid, is_deleted(table, pid), has_word(*row, "--report-only"), unit_of(*row)});
    }
    return watches;
}

}  // namespace reaper::agent
