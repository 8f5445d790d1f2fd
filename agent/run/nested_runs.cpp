#include "agent/run/nested_runs.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>

#include "scanner/fd.hpp"
#include "scanner/machine.hpp"
#include "scanner/regular_file.hpp"

namespace reaper::agent {

namespace {

using scanner::Pid;

Result<scanner::KnownFile> program_of(const scanner::ProcessTable& table, Pid pid) {
    return scanner::open_program(table, pid).and_then([](const Fd& program) {
        return scanner::stat_cached(program.get());
    });
}

// Asks only the kernel's cache: the file system of a helper's program may hang, and the helper is
// to be ended all the same.
bool runs_this_program(const scanner::ProcessTable& table, Pid pid) {
    const auto own = program_of(table, ::getpid());
    const auto its = program_of(table, pid);
    return own && its && own->device == its->device && own->inode == its->inode;
}

bool is_run(const scanner::ProcessTable& table, Pid pid) {
    if (!runs_this_program(table, pid)) return false;
    const auto row = scanner::read_program(table, pid);
    if (!row || row->command_line.value.argv.empty()) return false;
    const auto& argv = row->command_line.value.argv;  // options may stand before the command
    const auto end = std::find(argv.begin() + 1, argv.end(), "--");
    return std::find(argv.begin() + 1, end, "run") != end;
}

std::optional<ProcessView> view_process(const scanner::ProcessTable& table, Pid pid) {
    if (const auto stat = scanner::read_stat(table, pid)) {
        // A main thread that has ended is a zombie as well, while others go on.
        if (stat->state == 'Z' && stat->threads <= 1) return std::nullopt;
        return ProcessView{*stat, is_run(table, pid)};
    }
    const auto parent = scanner::read_parent(table, pid);
    if (!parent) return std::nullopt;
    ProcessView view;
    view.stat.ppid = *parent;
    return view;
}

Ownership unclear_ownership(const ProcessSet& processes) {
    const bool has_run =
        std::ranges::any_of(processes, [](const auto& entry) { return entry.second.run; });
    return has_run ? Ownership::unclear : Ownership::ours;
}

}  // namespace

ProcessSet view_processes(const scanner::ProcessTable& table, const std::vector<Pid>& pids) {
    ProcessSet processes;
    for (const Pid pid : pids) {
        if (auto view = view_process(table, pid)) processes.emplace(pid, std::move(*view));
    }
    return processes;
}

Ownership ownership_of(const ProcessSet& processes, Pid pid) {
    // A parent that was replaced while this looked can close a ring.
    for (std::size_t steps = 0; steps <= processes.size(); ++steps) {
        const auto view = processes.find(pid);
        if (view == processes.end())
            return pid == ::getpid() ? Ownership::ours : unclear_ownership(processes);
        if (view->second.run) return Ownership::of_another_run;
        pid = view->second.stat.ppid;
    }
    return unclear_ownership(processes);
}

// Its guard leads a group, as the helper of a run never does that is a run itself.
bool is_run_without_host(const ProcessSet& processes, Pid pid) {
    const auto view = processes.find(pid);
    if (view == processes.end() || !view->second.run || processes.contains(view->second.stat.ppid))
        return false;
    return std::ranges::any_of(processes, [&](const auto& entry) {
        const auto& [other, it] = entry;
        return it.run && it.stat.ppid == pid && it.stat.pgrp == other;
    });
}

}  // namespace reaper::agent
