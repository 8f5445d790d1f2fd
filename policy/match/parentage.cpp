#include "policy/match/parentage.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "policy/match/match.hpp"
#include "scanner/parse/proc_cgroup.hpp"

namespace reaper::policy {

namespace {

using scanner::FirstParent;
using scanner::Pid;
using scanner::ProcessRow;
using Nature = Parentage::Nature;

std::string_view file_name(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

// Recognises the manager by its exe, or by its cgroup, in which only the manager and its PAM helper
// ever are. The exe may be unreadable for its own user, as it can have capabilities that the user
// lacks.
bool is_user_manager(const ProcessRow& parent, const ProcessRow& child) {
    if (parent.uid != child.uid) return false;
    if (parent.exe.ok() && file_name(parent.exe.value) == "systemd" && parent.command_line.ok()) {
        const auto& argv = parent.command_line.value.argv;
        if (std::find(argv.begin(), argv.end(), "--user") != argv.end()) return true;
    }
    return parent.comm == "systemd" && parent.cgroup.ok() &&
           scanner::is_user_manager_path(parent.cgroup.value);
}

// A child starts in the session of its parent and leaves it only by founding its own. So a child in
// a third session has another starter, unless the parent itself left afterwards (then the parent
// leads its session). Session 0 is outside of this pid namespace. Ticks are 10 ms wide: only a
// clearly younger parent counts as younger.
bool is_proven_subreaper(const ProcessRow& parent, const ProcessRow& child) {
    if (parent.start_ticks > child.start_ticks) return true;
    const bool child_leads = child.session == child.pid;
    const bool parent_leads = parent.session == parent.pid;
    return !child_leads && !parent_leads && parent.session != child.session;
}

// The relay of WSL between Windows and Linux adopts processes like an init; its exe belongs to root
// and cannot be read.
bool is_wsl_relay(const ProcessRow& parent) {
    return parent.uid == 0 &&
           (parent.comm.starts_with("Relay(") || (parent.exe.ok() && parent.exe.value == "/init"));
}

Nature nature_of(const ProcessRow& parent, const ProcessRow& child) {
    if (is_init(parent) || is_wsl_relay(parent)) return Nature::init;
    if (is_user_manager(parent, child)) return Nature::user_manager;
    if (!is_proven_subreaper(parent, child)) return Nature::live;
    return parent.pid == 1 ? Nature::init : Nature::subreaper;
}

// On macOS only launchd adopts, and the kernel remembers which process started another one, also
// when that has ended. Sessions and starts prove nothing there: a start is a time of the wall
// clock.
Nature nature_on_mac(const ProcessRow& parent, FirstParent first) {
    if (parent.pid != 1) return Nature::live;
    switch (first) {
        case FirstParent::dead:
        case FirstParent::orphan_that_executed: return Nature::init;
        case FirstParent::launchd:
        case FirstParent::launchd_or_orphan: return Nature::launchd;
        case FirstParent::alive:
        case FirstParent::not_told: return Nature::unknown;
    }
    return Nature::unknown;
}

std::string describe_job(const scanner::Reading<scanner::ServiceUnit>& unit) {
    return fmt::format("launchd (pid 1) started it as a job of its own{}",
                       unit.ok() ? fmt::format(" ({})", unit.value.name) : std::string());
}

std::string describe_launchd(FirstParent first) {
    switch (first) {
        case FirstParent::launchd_or_orphan:
            return "parent is launchd (pid 1), which may have started it: this version of macOS "
                   "does not tell";
        case FirstParent::orphan_that_executed:
            return "parent is launchd (pid 1), which adopted it before it ran this program";
        case FirstParent::alive:
            return "parent is launchd (pid 1), although what started it is alive";
        case FirstParent::not_told:
            return "parent is launchd (pid 1), and what started it could not be read";
        case FirstParent::dead:
        case FirstParent::launchd: break;
    }
    return "parent is launchd (pid 1)";
}

std::string describe(Nature nature, const ProcessRow& parent) {
    const std::string_view name =
        parent.exe.ok() ? file_name(parent.exe.value) : std::string_view(parent.comm);
    switch (nature) {
        case Nature::init: return fmt::format("parent is init (pid {})", parent.pid);
        case Nature::user_manager:
            return fmt::format("parent is the user's service manager (pid {})", parent.pid);
        case Nature::subreaper:
            return fmt::format("parent {} (pid {}) did not start it", name, parent.pid);
        case Nature::host: return fmt::format("its host {} (pid {}) is alive", name, parent.pid);
        default: return fmt::format("its parent {} (pid {}) is alive", name, parent.pid);
    }
}

Pid pid_of(const ProcessRow& row) {
    return row.pid;
}

Pid pid_of(const scanner::ProcessFacts& process) {
    return process.row.pid;
}

// Null: it is not there. `processes` are by pid.
template <class Process>
const Process* find_by_pid(const std::vector<Process>& processes, Pid pid) {
    const auto found = std::ranges::lower_bound(
        processes, pid, {}, [](const Process& process) { return pid_of(process); });
    return found != processes.end() && pid_of(*found) == pid ? &*found : nullptr;
}

// Of a process that is no candidate, as a wrapper, only the row is known.
Parentage parentage_on_mac(const scanner::Facts& facts, const ProcessRow& parent,
                           const ProcessRow& child) {
    const auto* process = find_by_pid(facts.candidates, child.pid);
    const FirstParent first = process == nullptr ? FirstParent::not_told : process->first_parent;
    const Nature nature = nature_on_mac(parent, first);
    if (nature == Nature::live) return {nature, parent.pid, describe(nature, parent)};
    const std::string detail =
        first == FirstParent::launchd ? describe_job(process->unit) : describe_launchd(first);
    return {nature, parent.pid, detail, first};
}

}  // namespace

// Lists the names of an init, as process 1 of a container may be the host itself, or another
// program that started the helper. Its exe is often unreadable, but only root can choose the name
// of its own process 1. Busybox is left out: it may be the shell that started the helper, and calls
// itself "init" as an init.
bool is_called_init(const ProcessRow& parent) {
    constexpr std::string_view kInits[] = {
        "systemd",    "init",        "tini",      "docker-init",   "dumb-init",
        "catatonit",  "pid1",        "s6-svscan", "s6-overlay-su", "runit",
        "runit-init", "openrc-init", "launchd",   "podman-init",   "my_init"};
    const auto known = [&](std::string_view name) {
        return std::find(std::begin(kInits), std::end(kInits), name) != std::end(kInits);
    };
    return (parent.exe.ok() && known(file_name(parent.exe.value))) ||
           (parent.uid == 0 && known(parent.comm));
}

bool is_init(const ProcessRow& parent) {
    return parent.pid == 1 && is_called_init(parent);
}

bool is_adopter(const ProcessRow& parent, const ProcessRow& child) {
    return nature_of(parent, child) != Nature::live;
}

const ProcessRow* find_row(const scanner::Facts& facts, Pid pid) {
    if (const auto* candidate = find_by_pid(facts.candidates, pid)) return &candidate->row;
    if (const auto* relative = find_by_pid(facts.relatives, pid)) return relative;
    const auto* below = find_by_pid(facts.descendants, pid);
    return below == nullptr ? nullptr : &below->row;
}

Parentage parentage_of(const scanner::Facts& facts, const FamilyRule& rule,
                       const ProcessRow& child) {
    if (child.ppid == 0) {
        return {Nature::outside, 0,
                scanner::is_mac(facts.machine) ? "its parent is the kernel"
                                               : "its parent is outside of this pid namespace"};
    }
    const ProcessRow* parent = find_row(facts, child.ppid);
    // Also if that is pid 1, hidden by hidepid: in a container it may be the host.
    if (parent == nullptr) {
        return {Nature::unknown, child.ppid,
                fmt::format("its parent (pid {}) could not be read", child.ppid)};
    }
    // Also if the host is pid 1 of a container.
    if (is_host(rule, *parent)) return {Nature::host, parent->pid, describe(Nature::host, *parent)};
    if (scanner::is_mac(facts.machine)) return parentage_on_mac(facts, *parent, child);
    const Nature nature = nature_of(*parent, child);
    return {nature, parent->pid, describe(nature, *parent)};
}

}  // namespace reaper::policy
