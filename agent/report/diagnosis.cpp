#include "agent/report/diagnosis.hpp"

#include <fmt/format.h>

#include "policy/text/escape.hpp"

namespace reaper::agent {

namespace {

using policy::escape;
using scanner::InitState;
using scanner::TaskLimit;

constexpr double kNear = 0.8;

bool is_never_told(const InitState& init) {
    const auto& signal = init.child_signal;
    return signal && !signal->ignored && !signal->blocked && !signal->caught;
}

std::string init_remark(const InitState& init) {
    const std::string name =
        init.name.empty() ? std::string() : fmt::format(" ({})", escape(init.name, 60));
    return fmt::format(
        "process 1{} does not collect what it has adopted: {}{} process{} that ended {} still "
        "there, each with a pid{}. In a container, start it with an init (docker run --init)",
        name, init.counted_all ? "" : "at least ", init.zombies, init.zombies == 1 ? "" : "es",
        init.zombies == 1 ? "is" : "are",
        is_never_told(init) ? "; it has no handler for SIGCHLD" : "");
}

bool is_near(const TaskLimit& limit) {
    return scanner::used_part(limit) >= kNear;
}

std::string cgroup_remark(const TaskLimit& limit) {
    return fmt::format(
        "the cgroup {} has {} of at most {} processes and threads (pids.max); at the limit, "
        "nothing can be started in it. Raise it by TasksMax= of its unit, or --pids-limit of its "
        "container",
        escape(limit.where, 200), *limit.used, *limit.most);
}

std::string user_remark(const TaskLimit& limit, scanner::Uid uid) {
    return fmt::format(
        "the user with uid {} has {} of at most {} processes and threads (ulimit -u of {}); at the "
        "limit, nothing can be started. Raise it by LimitNPROC= of the unit, or by nproc in "
        "/etc/security/limits.conf",
        uid, *limit.used, *limit.most, escape(limit.where, 60));
}

}  // namespace

std::vector<std::string> diagnosis_remarks(const scanner::Diagnosis& diagnosis) {
    std::vector<std::string> remarks;
    if (diagnosis.init.zombies > 0) remarks.push_back(init_remark(diagnosis.init));
    if (is_near(diagnosis.cgroup)) remarks.push_back(cgroup_remark(diagnosis.cgroup));
    if (is_near(diagnosis.user)) remarks.push_back(user_remark(diagnosis.user, diagnosis.uid));
    return remarks;
}

}  // namespace reaper::agent
