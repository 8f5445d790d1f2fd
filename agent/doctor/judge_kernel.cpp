// What the kernel, process 1 and the service manager offer, and how near the limits are.
#include <algorithm>

#include <fmt/format.h>

#include "agent/doctor/judge.hpp"
#include "agent/report/diagnosis.hpp"

namespace reaper::agent {

namespace {

using enum FindingStatus;
using scanner::Diagnosis;
using scanner::TaskLimit;

constexpr double kNear = 0.8;
constexpr double kFull = 0.97;

Finding unseen(std::string id, const std::string& what) {
    return {.id = std::move(id), .status = skip, .message = what + " could not be looked at"};
}

Finding pidfd_finding(const Observations& seen) {
    if (!seen.sight.trouble.empty()) return unseen("pidfd", "whether the kernel has pidfd");
    const bool has = seen.sight.machine.has_handles;
    return {
        .id = "pidfd",
        .status = has ? ok : fail,
        .message = has ? fmt::format("Linux {} has handles of processes (pidfd)",
                                     seen.sight.machine.kernel)
                       : "this kernel gives no handles of processes (pidfd_open, Linux 5.3), or "
                         "a filter of system calls forbids them: nothing can be ended"};
}

Finding feature(std::string id, bool has, const char* with, const char* without) {
    return {.id = std::move(id), .status = has ? ok : skip, .message = has ? with : without};
}

Finding connector_finding(const Kernel& kernel) {
    Finding finding =
        feature("connector", kernel.connector.value_or(false),
                "the proc connector tells watch of new helpers at once",
                "watch does without the proc connector, which is root's in the first pid "
                "namespace: it finds new helpers at its looks");
    return finding;
}

Finding init_finding(const Observations& seen) {
    if (!seen.sight.trouble.empty()) return unseen("init", "process 1");
    const scanner::InitState& init = seen.sight.diagnosis.init;
    Diagnosis only;
    only.init = init;
    const auto remarks = diagnosis_remarks(only);
    Finding finding{.id = "init", .status = remarks.empty() ? ok : warn};
    finding.message = remarks.empty()
                          ? fmt::format("process 1{} collects what it adopts",
                                        init.name.empty() ? "" : fmt::format(" ({})", init.name))
                          : remarks.front();
    finding.facts = {{"name", init.name}, {"zombies", static_cast<std::int64_t>(init.zombies)}};
    return finding;
}

// Where none runs, no process can be the main one of a service, and none need be asked.
Finding units_finding(const Observations& seen) {
    Finding finding{.id = "units", .facts = {{"manager", seen.manager.runs}}};
    if (seen.sight.managers_hang) {
        finding.status = warn;
        finding.message = "a service manager does not answer: what runs in services is kept";
        finding.fix = "systemctl is-system-running";
    } else if (!seen.manager.runs) {
        finding.status = skip;
        finding.message = "no systemd runs here, so no process is a service of it";
    } else if (!seen.manager.can_ask) {
        finding.status = warn;
        finding.message =
            "systemd cannot be asked about its services, as libsystemd is missing, or this program "
            "is a static one: what runs in services is kept";
    } else if (!seen.manager.reachable) {
        finding.status = warn;
        finding.message =
            "systemd cannot be asked about its services, as there is no system bus "
            "(/run/dbus/system_bus_socket): what runs in services is kept";
    } else {
        finding.message = "systemd can be asked which processes are services";
    }
    return finding;
}

FactValue known(const std::optional<std::uint64_t>& value) {
    return value ? FactValue(static_cast<std::int64_t>(*value)) : FactValue();
}

Finding limit_finding(std::string id, const TaskLimit& limit, const std::string& remark,
                      const std::string& name) {
    const double part = scanner::used_part(limit);
    Finding finding{.id = std::move(id),
                    .status = part >= kFull   ? fail
                              : part >= kNear ? warn
                                              : ok,
                    .message = remark,
                    .facts = {{"used", known(limit.used)}, {"most", known(limit.most)}}};
    if (part >= kNear) return finding;
    finding.message = !limit.most   ? fmt::format("{} sets no limit here", name)
                      : !limit.used ? fmt::format("{} is {}, and far away", name, *limit.most)
                                    : fmt::format("{} is {}, of which {} are used", name,
                                                  *limit.most, *limit.used);
    return finding;
}

std::string only_remark(const Diagnosis& diagnosis) {
    const auto remarks = diagnosis_remarks(diagnosis);
    return remarks.empty() ? std::string() : remarks.front();
}

Finding pid_max_finding(const Observations& seen) {
    const TaskLimit limit{seen.threads.used, seen.threads.pid_max, "kernel.pid_max"};
    Finding finding = limit_finding(
        "pid_max", limit,
        fmt::format("{} of at most {} processes and threads of this machine exist; at the limit, "
                    "nothing can be started",
                    limit.used.value_or(0), limit.most.value_or(0)),
        "the limit of the machine (kernel.pid_max, kernel.threads-max)");
    if (finding.status != ok) finding.fix = as_root(seen, "sysctl kernel.pid_max=4194304");
    return finding;
}

}  // namespace

void add_kernel(const Observations& seen, Findings& findings) {
    findings.push_back(pidfd_finding(seen));
    findings.push_back(feature("pidfs", seen.kernel.has_pidfs,
                               "processes have ids that are never used twice (pidfs)",
                               "this kernel has no pidfs (Linux 6.9): processes are told apart by "
                               "pid and start"));
    findings.push_back(feature("pidfd_info", seen.kernel.tells_parents,
                               "handles tell the parent of a process (PIDFD_GET_INFO)",
                               "handles do not tell the parent of a process (Linux 6.13); /proc "
                               "does"));
    findings.push_back(connector_finding(seen.kernel));
    findings.push_back(init_finding(seen));
    findings.push_back(units_finding(seen));
}

void add_limits(const Observations& seen, Findings& findings) {
    const Diagnosis& diagnosis = seen.sight.diagnosis;
    Diagnosis cgroup;
    cgroup.cgroup = diagnosis.cgroup;
    Diagnosis user;
    user.user = diagnosis.user;
    user.uid = diagnosis.uid;
    if (seen.sight.trouble.empty()) {
        findings.push_back(
            limit_finding("pids_max", cgroup.cgroup, only_remark(cgroup), "the cgroup (pids.max)"));
        findings.push_back(
            limit_finding("ulimit_u", user.user, only_remark(user), "the user (ulimit -u)"));
    }
    findings.push_back(pid_max_finding(seen));
}

}  // namespace reaper::agent
