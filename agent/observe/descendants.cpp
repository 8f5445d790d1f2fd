#include "agent/observe/descendants.hpp"

#include <algorithm>

#include "agent/observe/request.hpp"
#include "policy/match/location.hpp"
#include "policy/match/match.hpp"
#include "scanner/descendants.hpp"
#include "scanner/pid_handle.hpp"
#include "scanner/service_managers.hpp"

namespace reaper::agent {

using scanner::Pid;
using scanner::PidHandle;
using scanner::ProcessFacts;

namespace {

// Far more than any helper starts; a process with more is left alone.
constexpr std::size_t kMostDescendants = 1000;

Pid pid_of(const ProcessFacts& process) {
    return process.row.pid;
}

bool contains(const std::vector<ProcessFacts>& processes, Pid pid) {
    return std::ranges::binary_search(processes, pid, {}, pid_of);
}

void put(std::vector<ProcessFacts>& processes, ProcessFacts process) {
    const auto place = std::ranges::lower_bound(processes, process.row.pid, {}, pid_of);
    if (place != processes.end() && place->row.pid == process.row.pid) {
        process.user = place->user;
        *place = std::move(process);
    } else {
        processes.insert(place, std::move(process));
    }
}

void erase(std::vector<ProcessFacts>& processes, Pid pid) {
    std::erase_if(processes, [pid](const ProcessFacts& one) { return one.row.pid == pid; });
}

}  // namespace

void DescendantReader::read_new(Pid pid) {
    adds_members_ = false;
    for (const Pid below : list(pid)) {
        const bool known =
            contains(facts_.candidates, below) || contains(facts_.descendants, below);
        if (!known && !take(below)) facts_.unseen_below.push_back(pid);
    }
}

void DescendantReader::read_again(Pid pid) {
    adds_members_ = true;
    std::set<Pid> below = known_below(pid);
    below.merge(list(pid));
    const bool all = std::ranges::all_of(below, [this](Pid one) { return take(one); });
    if (!all) facts_.unseen_below.push_back(pid);
}

std::vector<ProcessFacts*> DescendantReader::unasked() {
    std::vector<ProcessFacts*> processes;
    for (auto* all : {&facts_.candidates, &facts_.descendants}) {
        for (ProcessFacts& one : *all) {
            if (read_.contains(one.row.pid) && scanner::needs_manager_answer(one))
                processes.push_back(&one);
        }
    }
    return processes;
}

std::set<Pid> DescendantReader::list(Pid pid) {
    std::erase(facts_.unseen_below, pid);
    const auto pids = scanner::list_descendants(table_, pid, kMostDescendants);
    if (!pids) facts_.unseen_below.push_back(pid);
    return pids ? std::set<Pid>(pids->begin(), pids->end()) : std::set<Pid>{};
}

std::set<Pid> DescendantReader::known_below(Pid pid) const {
    std::set<Pid> below{pid};
    for (std::size_t before = 0; before != below.size();) {
        before = below.size();
        for (const auto* all : {&facts_.candidates, &facts_.descendants}) {
            for (const ProcessFacts& one : *all) {
                if (below.contains(one.row.ppid)) below.insert(one.row.pid);
            }
        }
    }
    below.erase(pid);
    return below;
}

// False: it lives, and not even its row could be read.
bool DescendantReader::take(Pid pid) {
    read_.insert(pid);
    const auto program = scanner::read_program(table_, pid);
    const auto keys = policy::environment_keys_of(rules_);
    const auto match =
        program ? policy::match(rules_, *program, scanner::read_variables(table_, pid, keys))
                : std::nullopt;
    auto handle = PidHandle::open(pid);
    if (!handle) return forget_or_fail(pid, handle.error());
    const auto request = match ? request_for(rules_, *match) : scanner::InspectionRequest{keys, {}};
    if (!inspector_) inspector_.emplace(table_, witness_);
    auto facts = inspector_->inspect(*handle, request);
    if (!facts) return take_row(pid, facts.error());
    file(std::move(*facts));
    return true;
}

// Judges as the whole look does: what --under adds has to run below its folder.
bool DescendantReader::is_member(const ProcessFacts& facts) const {
    const auto match = policy::match(rules_, facts.row, facts.environment);
    if (!match) return false;
    const auto& names = match->rule->under;
    return names.empty() || policy::runs_below(names, facts.row, facts.cwd);
}

// A member that came since the whole look is no part of what that look reports.
void DescendantReader::file(ProcessFacts facts) {
    const Pid pid = facts.row.pid;
    const bool member = adds_members_ && is_member(facts);
    erase(member ? facts_.descendants : facts_.candidates, pid);
    put(member ? facts_.candidates : facts_.descendants, std::move(facts));
}

// Takes only the row. Code that needs what the handle would have told finds that it is missing.
bool DescendantReader::take_row(Pid pid, const Error& error) {
    if (error.code == std::errc::no_such_process) return forget_or_fail(pid, error);
    auto row = scanner::read_row(table_, pid);
    if (!row) return forget_or_fail(pid, row.error());
    ProcessFacts facts;
    facts.identity = {facts_.machine.boot_id, 0, pid, row->start_ticks, std::nullopt};
    facts.row = std::move(*row);
    erase(facts_.candidates, pid);
    put(facts_.descendants, std::move(facts));
    return true;
}

bool DescendantReader::forget_or_fail(Pid pid, const Error& error) {
    if (scanner::access_of(error.code) != scanner::Access::gone) return false;
    erase(facts_.descendants, pid);
    for (ProcessFacts& one : facts_.candidates) {
        if (one.row.pid != pid) continue;
        one.row.state = 'X';
        one.row.threads = 1;
    }
    return true;
}

}  // namespace reaper::agent
