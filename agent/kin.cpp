#include "agent/kin.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "policy/run_mark.hpp"
#include "scanner/descendants.hpp"
#include "scanner/machine.hpp"

namespace reaper::agent {

using scanner::Pid;
using scanner::PidHandle;

namespace {

constexpr rlim_t kSpare = 16;  // descriptors for looking at those who are held

bool is_among_the_last(int descriptor) {
    rlimit limit{};
    return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 && static_cast<rlim_t>(descriptor) + kSpare >= limit.rlim_cur;
}

}  // namespace

Kin::Kin(const scanner::Procfs& procfs, PidHandle root, Kinship kinship)
    : procfs_(procfs), root_(root.pid()), kinship_(std::move(kinship)) {
    held_.push_back(std::move(root));
}

void Kin::look() {
    std::erase_if(held_, [](const PidHandle& handle) { return handle.exited(); });
    std::vector<Pid> above = pids();
    above.push_back(::getppid());
    for (const Pid pid : scanner::read_descendants(procfs_, above).value_or(std::vector<Pid>())) {
        if (pid == ::getpid() || has(pid) || !belongs(pid)) continue;
        auto handle = PidHandle::open(pid);
        // Asked once more: as it has not ended after that, nobody else was asked about.
        if (!handle || !belongs(pid) || handle->exited()) continue;
        if (is_among_the_last(handle->raw())) return;
        held_.push_back(std::move(*handle));
    }
}

bool Kin::belongs(Pid pid) const {
    if (kinship_.strangers.contains(pid)) return false;
    const auto parent = scanner::read_parent(procfs_, pid);
    if (!parent) return false;
    if (has(*parent)) return true;
    if (*parent != ::getppid() || *parent == root_) return false;
    const std::string name(policy::kRunMark);
    const auto variables = scanner::read_variables(procfs_, pid, {&name, 1});
    const auto found = variables.value.find(name);
    return found != variables.value.end() && found->second == kinship_.mark;
}

std::vector<Pid> Kin::pids() const {
    std::vector<Pid> pids;
    std::ranges::transform(held_, std::back_inserter(pids), &PidHandle::pid);
    return pids;
}

bool Kin::has(Pid pid) const {
    return std::ranges::any_of(held_,
                               [pid](const PidHandle& handle) { return handle.pid() == pid && !handle.exited(); });
}

}  // namespace reaper::agent
