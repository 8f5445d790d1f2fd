#include "agent/report/html/tree.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "agent/report/hosts.hpp"
#include "agent/report/text/process_line.hpp"
#include "agent/system/format.hpp"

namespace reaper::agent::html {

namespace {

using scanner::Pid;

constexpr std::size_t kDeepest = 3;

// Puts groups below the group that has the parent of their first process.
class Planter {
   public:
    explicit Planter(std::vector<Group> groups) : groups_(std::move(groups)) {
        std::map<Pid, std::size_t> group_of;
        for (std::size_t at = 0; at < groups_.size(); ++at) {
            for (const ReportedProcess* member : groups_[at].members)
                group_of[member->facts.row.pid] = at;
        }
        for (std::size_t at = 0; at < groups_.size(); ++at) {
            const auto parent = group_of.find(groups_[at].members.front()->facts.row.ppid);
            const bool below = parent != group_of.end() && parent->second != at;
            (below ? below_[parent->second] : top_).push_back(at);
        }
    }

    [[nodiscard]] std::vector<Twig> plant() {
        for (const std::size_t at : top_) add(at, 0);
        // What facts of a file say of parents may run in a circle.
        for (std::size_t at = 0; at < groups_.size(); ++at) add(at, 0);
        return std::move(twigs_);
    }

   private:
    void add(std::size_t at, std::size_t depth) {
        if (!planted_.insert(at).second) return;
        twigs_.push_back({groups_[at], std::min(depth, kDeepest)});
        for (const std::size_t next : below_[at]) add(next, depth + 1);
    }

    std::vector<Group> groups_;
    std::vector<std::size_t> top_;
    std::map<std::size_t, std::vector<std::size_t>> below_;
    std::set<std::size_t> planted_;
    std::vector<Twig> twigs_;
};

void name_host(const Report& report, const std::map<Pid, const ReportedProcess*>& by_pid,
               Tree& tree) {
    if (tree.host == 0) {
        tree.name = tree.kept ? "On their own" : "No living host";
        tree.note = tree.kept ? "kept, though no host is known" : "what started these is gone";
        return;
    }
    tree.note = fmt::format("host, pid {}", tree.host);
    tree.name = "Host that is not known by name";
    const auto tally = std::ranges::find(report.hosts, tree.host, &HostTally::pid);
    if (tally != report.hosts.end() && !tally->comm.empty()) tree.name = host_name(*tally);
    const auto listed = by_pid.find(tree.host);
    if (listed == by_pid.end()) return;
    tree.name = title_of(report, {Mark::kept, {listed->second}});
    tree.mark = mark_of(*listed->second);
}

void add_up(const Processes& members, Tree& tree) {
    for (const ReportedProcess* member : members) {
        tree.memory_bytes += scanner::memory_bytes(member->facts);
        if (mark_of(*member) == Mark::leaked || mark_of(*member) == Mark::failed) ++tree.leaked;
    }
}

// A listed host without a host of its own is the root of its tree, and hangs nowhere else.
bool is_root(const ReportedProcess& process, const std::set<Pid>& hosts) {
    return process.judgement.host == 0 && hosts.contains(process.facts.row.pid) &&
           mark_of(process) == Mark::kept;
}

}  // namespace

std::vector<Tree> trees_of(const Report& report) {
    std::set<Pid> hosts;
    std::map<Pid, const ReportedProcess*> by_pid;
    for (const ReportedProcess& process : report.processes) {
        hosts.insert(process.judgement.host);
        by_pid[process.facts.row.pid] = &process;
    }
    // What is kept without a host is a tree of its own: nothing is wrong with it.
    std::map<std::pair<Pid, bool>, Processes> helpers;
    for (const ReportedProcess& process : report.processes) {
        const Pid host = process.judgement.host;
        const bool kept = host == 0 && mark_of(process) == Mark::kept;
        if (!is_root(process, hosts)) helpers[{host, kept}].push_back(&process);
    }
    std::vector<Tree> trees;
    for (const auto& [place, members] : helpers) {
        Tree& tree = trees.emplace_back();
        std::tie(tree.host, tree.kept) = place;
        name_host(report, by_pid, tree);
        add_up(members, tree);
        tree.twigs = Planter(group_equals(report, members)).plant();
    }
    std::ranges::sort(trees, std::ranges::greater{}, [](const Tree& tree) {
        return std::tuple(tree.leaked, tree.memory_bytes, -tree.host, tree.kept);
    });
    return trees;
}

}  // namespace reaper::agent::html
