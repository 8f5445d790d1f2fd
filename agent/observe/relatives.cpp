#include "agent/observe/relatives.hpp"

#include <algorithm>

#include "policy/match/match.hpp"
#include "policy/match/member.hpp"
#include "policy/match/parentage.hpp"
#include "policy/verdict/ownership.hpp"
#include "policy/verdict/wrappers.hpp"

namespace reaper::agent {

namespace {

using scanner::Facts;
using scanner::Pid;
using scanner::ProcessRow;
using scanner::ProcessTable;

// That a process has exited is an answer; that it could not be read is none.
void read_relative(Facts& facts, const ProcessTable& table, Pid pid) {
    if (pid <= 0) return;
    auto row = scanner::read_row(table, pid);
    std::erase_if(facts.relatives, [pid](const ProcessRow& known) { return known.pid == pid; });
    std::erase(facts.unread, pid);
    if (row) {
        const auto place = std::ranges::lower_bound(facts.relatives, pid, {}, &ProcessRow::pid);
        facts.relatives.insert(place, std::move(*row));
    } else if (row.error().code != std::errc::no_such_process) {
        facts.unread.insert(std::ranges::lower_bound(facts.unread, pid), pid);
    }
}

// What was one in an earlier look may be none now.
void note(std::vector<Pid>& pids, Pid pid, bool belongs) {
    std::erase(pids, pid);
    if (belongs) pids.push_back(pid);
}

// Notes the pids of wrappers here, as --facts does not keep the arguments that show what they are.
void read_wrappers(Facts& facts, const ProcessTable& table, ProcessRow child) {
    constexpr int kMost = 8;
    for (int above = 0; above < kMost; ++above) {
        const ProcessRow* parent = policy::find_row(facts, child.ppid);
        if (parent == nullptr) return;
        const bool wraps = policy::is_wrapper_of(*parent, child);
        note(facts.wrappers, parent->pid, wraps);
        note(facts.plain_wrappers, parent->pid, wraps && policy::only_runs(*parent, child));
        if (!wraps) return;
        child = *parent;
        read_relative(facts, table, child.ppid);
    }
}

}  // namespace

void read_relatives(Facts& facts, const ProcessTable& table, const policy::Rules& rules,
                    const scanner::ProcessFacts& candidate) {
    read_relative(facts, table, candidate.row.ppid);
    read_wrappers(facts, table, candidate.row);
    if (policy::has_lost_terminal(candidate)) read_relative(facts, table, candidate.row.session);
    const auto match = policy::match(rules, candidate.row, candidate.environment);
    if (!match) return;
    for (const Pid owner : policy::named_owners(*match, candidate))
        read_relative(facts, table, owner);
}

}  // namespace reaper::agent
