#include "scanner/descendants.hpp"

#include <algorithm>
#include <map>

#include "scanner/linux/directory.hpp"
#include "scanner/machine.hpp"

namespace reaper::scanner {

namespace {

// Up to `ancestor`, or to where the chain ends without it.
Result<std::vector<Pid>> chain_to(const Procfs& procfs, Pid pid, Pid ancestor) {
    std::vector<Pid> chain;
    while (pid > 1 && pid != ancestor && std::ranges::find(chain, pid) == chain.end()) {
        chain.push_back(pid);
        const auto parent = read_parent(procfs, pid);
        if (!parent) return tl::unexpected(parent.error());
        pid = *parent;
    }
    chain.push_back(pid);
    return chain;
}

}  // namespace

Result<std::vector<Pid>> read_descendants(const Procfs& procfs, Pid ancestor) {
    return read_descendants(procfs, std::vector<Pid>{ancestor});
}

Result<std::vector<Pid>> read_descendants(const Procfs& procfs, const std::vector<Pid>& ancestors) {
    const auto pids = list_numbers_at(procfs.fd(), ".");
    if (!pids) return tl::unexpected(pids.error());
    std::multimap<Pid, Pid> children;
    for (const Pid pid : *pids) {
        if (const auto parent = read_parent(procfs, pid)) children.emplace(*parent, pid);
    }
    std::vector<Pid> found = ancestors;
    for (std::size_t known = 0; known < found.size(); ++known) {
        const auto [first, last] = children.equal_range(found[known]);
        // A parent that was replaced while this looked can close a ring.
        std::for_each(first, last, [&found](const auto& child) {
            if (std::ranges::find(found, child.second) == found.end()) found.push_back(child.second);
        });
    }
    found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(ancestors.size()));
    std::ranges::sort(found);
    return found;
}

Result<bool> is_descendant(const Procfs& procfs, Pid pid, Pid ancestor) {
    const auto first = chain_to(procfs, pid, ancestor);
    if (!first) return tl::unexpected(first.error());
    const auto second = chain_to(procfs, pid, ancestor);
    if (!second) return tl::unexpected(second.error());
    return pid != ancestor && first->back() == ancestor && *first == *second;
}

}  // namespace reaper::scanner
