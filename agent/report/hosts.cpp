#include "agent/report/hosts.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "policy/text/escape.hpp"

namespace reaper::agent {

namespace {

using scanner::Pid;
using scanner::ProcessRow;

// Null: nothing but its pid is known.
const ProcessRow* find_row(const scanner::Facts& facts, Pid pid) {
    const auto relative = std::ranges::find(facts.relatives, pid, &ProcessRow::pid);
    if (relative != facts.relatives.end()) return &*relative;
    const auto candidate = std::ranges::find(
        facts.candidates, pid, [](const scanner::ProcessFacts& one) { return one.row.pid; });
    return candidate == facts.candidates.end() ? nullptr : &candidate->row;
}

HostTally open_tally(Pid pid, const scanner::Facts& facts) {
    HostTally host;
    host.pid = pid;
    const ProcessRow* row = pid == 0 ? nullptr : find_row(facts, pid);
    if (row == nullptr) return host;
    host.comm = row->comm;
    host.argv = row->command_line.value.argv;
    return host;
}

void add(const ReportedProcess& process, HostTally& host) {
    ++host.helpers;
    ++host.families[process.judgement.family];
    if (is_leak(process)) ++host.leaked;
    host.rss_bytes += process.facts.rss_bytes;
    host.swap_bytes += process.facts.swap_bytes;
}

}  // namespace

std::uint64_t memory_bytes(const HostTally& host) {
    return host.rss_bytes + host.swap_bytes;
}

std::vector<HostTally> tally_hosts(const Report& report, const scanner::Facts& facts) {
    std::map<Pid, HostTally> by_pid;
    for (const auto* processes : {&report.processes, &report.others}) {
        for (const ReportedProcess& process : *processes) {
            const Pid pid = process.judgement.host;
            const auto [place, is_new] = by_pid.try_emplace(pid);
            if (is_new) place->second = open_tally(pid, facts);
            add(process, place->second);
        }
    }
    std::vector<HostTally> hosts;
    hosts.reserve(by_pid.size());
    for (auto& [pid, host] : by_pid) hosts.push_back(std::move(host));
    std::ranges::sort(hosts, std::ranges::greater{}, [](const HostTally& host) {
        return std::pair(memory_bytes(host), -host.pid);
    });
    return hosts;
}

std::string host_name(const HostTally& host) {
    if (host.pid == 0) return "(no host)";
    return host.comm.empty() ? "(not known)" : policy::escape(host.comm, 60);
}

std::string families_text(const HostTally& host) {
    std::vector<std::pair<std::size_t, std::string>> families;
    families.reserve(host.families.size());
    for (const auto& [family, count] : host.families) families.emplace_back(count, family);
    std::ranges::sort(families, [](const auto& left, const auto& right) {
        return std::tie(right.first, left.second) < std::tie(left.first, right.second);
    });
    std::string text;
    for (const auto& [count, family] : families) {
        const char* between = text.empty() ? "" : ", ";
        text += fmt::format("{}{} {}", between, count, policy::escape(family, 60));
    }
    return text;
}

}  // namespace reaper::agent
