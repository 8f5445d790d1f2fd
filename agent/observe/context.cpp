// Reads what is only read of processes that may be leaked.
#include <algorithm>
#include <set>

#include "agent/observe/descendants.hpp"
#include "agent/observe/snapshot.hpp"
#include "policy/verdict/suspects.hpp"
#include "scanner/access_guard.hpp"
#include "scanner/service_managers.hpp"

namespace reaper::agent {

namespace {

constexpr std::chrono::seconds kManagersPause{10};

}  // namespace

using scanner::Facts;
using scanner::Pid;
using scanner::ProcessFacts;

void Observer::read_context(Look& look, const policy::Settings& settings) const {
    Facts& facts = look.facts;
    facts.scope_uids = settings.uids;
    const auto suspects =
        policy::find_suspects(policy::find_members(facts, look.rules), facts.machine, settings);
    find_holders(facts, suspects.hostless);
    std::set<Pid> all = suspects.hostless;
    all.insert(suspects.hosted.begin(), suspects.hosted.end());
    ask_managers(facts, all);
    look_below(facts, suspects.to_end);
}

bool Observer::managers_hang() const {
    return std::chrono::steady_clock::now() < managers_hang_until_;
}

void Observer::expect_managers_to_hang() const {
    managers_hang_until_ = std::chrono::steady_clock::now() + kManagersPause;
}

void Observer::ask(std::span<ProcessFacts* const> processes) const {
    if (managers_hang() || !scanner::may_read(0, "the service manager")) {
        for (ProcessFacts* process : processes)
            process->unit.value.asked |= scanner::needs_manager_answer(*process);
    } else if (!scanner::ask_service_managers(table_, processes)) {
        expect_managers_to_hang();
    }
}

void Observer::ask_managers(Facts& facts, const std::set<Pid>& pids) const {
    std::set<std::string> services;
    for (const ProcessFacts& one : facts.candidates) {
        if (pids.contains(one.row.pid) && scanner::needs_manager_answer(one))
            services.insert(one.unit.value.name);
    }
    std::vector<ProcessFacts*> processes;
    for (ProcessFacts& one : facts.candidates) {
        if (scanner::needs_manager_answer(one) && services.contains(one.unit.value.name))
            processes.push_back(&one);
    }
    if (!processes.empty()) ask(processes);
}

void Observer::ask_managers(Facts& facts) const {
    std::vector<ProcessFacts*> processes;
    processes.reserve(facts.candidates.size());
    for (ProcessFacts& one : facts.candidates) processes.push_back(&one);
    ask(processes);
}

void Observer::find_holders(Facts& facts, const std::set<Pid>& pids) const {
    std::vector<ProcessFacts*> processes;
    std::vector<std::uint64_t> inodes;
    for (ProcessFacts& one : facts.candidates) {
        const bool is_asked = pids.contains(one.row.pid) && one.standard_input.ok() &&
                              one.standard_input.value.peer == scanner::PeerState::alive;
        if (!is_asked) continue;
        processes.push_back(&one);
        inodes.push_back(one.standard_input.value.inode);
    }
    if (processes.empty()) return;
    const scanner::Holders holders = scanner::find_holders(table_, inodes);
    for (ProcessFacts* process : processes) {
        scanner::StdioEnd& input = process->standard_input.value;
        if (const auto known = holders.find(input.inode); known != holders.end())
            input.holders = known->second;
        std::erase(input.holders, process->row.pid);
    }
}

void Observer::look_below(Facts& facts, const std::set<Pid>& pids) const {
    DescendantReader below(table_, rules_, facts, witness_);
    for (const Pid pid : pids) below.read_new(pid);
    ask(below.unasked());
}

}  // namespace reaper::agent
