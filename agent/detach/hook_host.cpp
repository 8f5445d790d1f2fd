#include "agent/detach/hook_host.hpp"

#include <unistd.h>

#include <algorithm>
#include <vector>

#include "policy/match/match.hpp"
#include "policy/match/parentage.hpp"
#include "policy/verdict/wrappers.hpp"
#include "scanner/model/number.hpp"

namespace reaper::agent {

namespace {

using scanner::Pid;
using scanner::PidHandle;
using scanner::ProcessRow;

constexpr std::size_t kMostAncestors = 32;

struct Ancestor {
    PidHandle handle;
    ProcessRow row;
    bool only_runs_hook = false;  // what is below it, and ends with that
};

// Until the first that has adopted the one below: that is the host of nothing.
std::vector<Ancestor> find_ancestors(const scanner::ProcessTable& table) {
    std::vector<Ancestor> ancestors;
    auto below = scanner::read_row(table, ::getpid());
    while (below && below->ppid > 1 && ancestors.size() < kMostAncestors) {
        auto handle = PidHandle::open(below->ppid);
        auto row = scanner::read_row(table, below->ppid);
        if (!handle || !row || handle->exited() || policy::is_adopter(*row, *below)) break;
        ancestors.push_back({std::move(*handle), *row, policy::is_wrapper_of(*row, *below)});
        below = std::move(row);
    }
    return ancestors;
}

bool is_known(const policy::Rules& rules, const ProcessRow& row) {
    return std::ranges::any_of(rules.families, [&](const policy::FamilyRule& family) {
        return policy::is_host(family, row);
    });
}

std::optional<PidHandle> open_named(const std::string& pid) {
    const auto number = scanner::to_number<Pid>(pid);
    auto handle = PidHandle::open(number.value_or(0));
    return handle ? std::optional(std::move(*handle)) : std::nullopt;
}

}  // namespace

std::optional<PidHandle> find_hook_host(const scanner::ProcessTable& table,
                                        const std::string& after) {
    if (!after.empty() && after != "host") return open_named(after);
    std::vector<Ancestor> ancestors = find_ancestors(table);
    const policy::Rules rules = policy::built_in_rules();
    auto host = std::ranges::find_if(
        ancestors, [&](const Ancestor& ancestor) { return is_known(rules, ancestor.row); });
    if (host == ancestors.end() && !after.empty())
        host = std::ranges::find(ancestors, false, &Ancestor::only_runs_hook);
    return host == ancestors.end() ? std::nullopt : std::optional(std::move(host->handle));
}

}  // namespace reaper::agent
