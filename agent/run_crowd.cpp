#include "agent/run_crowd.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>

#include "scanner/machine.hpp"

namespace reaper::agent {

namespace {

using scanner::Pid;

bool runs_this_program(const scanner::Procfs& procfs, Pid pid) {
    struct stat own{};
    struct stat its{};
    return ::fstatat(procfs.fd(), "self/exe", &own, 0) == 0 &&
           ::fstatat(procfs.fd(), (std::to_string(pid) + "/exe").c_str(), &its, 0) == 0 && own.st_dev == its.st_dev &&
           own.st_ino == its.st_ino;
}

bool is_run(const scanner::Procfs& procfs, Pid pid) {
    if (!runs_this_program(procfs, pid)) return false;
    const auto row = scanner::read_program(procfs, pid);
    if (!row || row->command_line.value.argv.empty()) return false;
    const auto& argv = row->command_line.value.argv;  // options may stand before the command
    const auto end = std::find(argv.begin() + 1, argv.end(), "--");
    return std::find(argv.begin() + 1, end, "run") != end;
}

std::optional<Seen> see_one(const scanner::Procfs& procfs, Pid pid) {
    if (const auto stat = scanner::read_stat(procfs, pid)) {
        // A main thread that has ended is a zombie as well, while others go on.
        if (stat->state == 'Z' && stat->threads <= 1) return std::nullopt;
        return Seen{*stat, is_run(procfs, pid)};
    }
    const auto parent = scanner::read_parent(procfs, pid);
    if (!parent) return std::nullopt;
    Seen seen;
    seen.stat.ppid = *parent;
    return seen;
}

bool is_parent(const Crowd& crowd, Pid pid) {
    return std::ranges::any_of(crowd, [pid](const auto& entry) { return entry.second.stat.ppid == pid; });
}

Care without_certainty(const Crowd& crowd) {
    const bool has_run = std::ranges::any_of(crowd, [](const auto& entry) { return entry.second.run; });
    return has_run ? Care::unclear : Care::ours;
}

}  // namespace

Crowd see(const scanner::Procfs& procfs, const std::vector<Pid>& pids) {
    Crowd crowd;
    for (const Pid pid : pids) {
        if (auto seen = see_one(procfs, pid)) crowd.emplace(pid, std::move(*seen));
    }
    return crowd;
}

Care care_of(const Crowd& crowd, Pid pid) {
    // A parent that was replaced while this looked can close a ring.
    for (std::size_t steps = 0; steps <= crowd.size(); ++steps) {
        const auto seen = crowd.find(pid);
        // A successor stands beside those whom it ends: who lost his parent has its parent.
        if (seen == crowd.end()) return pid == ::getpid() || pid == ::getppid() ? Care::ours : without_certainty(crowd);
        if (seen->second.run) return Care::of_another_run;
        pid = seen->second.stat.ppid;
    }
    return without_certainty(crowd);
}

// Its guard leads a group, as the helper of a run never does that is a run itself, and has children, as a successor never has.
bool is_run_without_host(const Crowd& crowd, Pid pid) {
    const auto seen = crowd.find(pid);
    if (seen == crowd.end() || !seen->second.run || crowd.contains(seen->second.stat.ppid)) return false;
    return std::ranges::any_of(crowd, [&](const auto& entry) {
        const auto& [other, it] = entry;
        return it.run && it.stat.ppid == pid && it.stat.pgrp == other && is_parent(crowd, other);
    });
}

}  // namespace reaper::agent
