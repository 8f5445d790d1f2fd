#include "scanner/descendants.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "scanner/linux/directory.hpp"
#include "scanner/linux/read_file.hpp"
#include "scanner/machine.hpp"
#include "scanner/number.hpp"

namespace reaper::scanner {

namespace {

constexpr std::size_t kChildrenLimit = 1024 * 1024;

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

using Children = std::multimap<Pid, Pid>;

Result<Children> read_table(const Procfs& procfs) {
    const auto pids = list_numbers_at(procfs.fd(), ".");
    if (!pids) return tl::unexpected(pids.error());
    Children children;
    for (const Pid pid : *pids) {
        if (const auto parent = read_parent(procfs, pid)) children.emplace(*parent, pid);
    }
    return children;
}

// Also those whom hidepid hides: "12 34 ". Those of its first thread, as a program without threads has them, and whoever adopts.
std::vector<Pid> read_children(const Procfs& procfs, Pid parent) {
    const std::string number = std::to_string(parent);
    const auto text = read_at(procfs.fd(), (number + "/task/" + number + "/children").c_str(), kChildrenLimit);
    std::vector<Pid> children;
    std::string_view rest = text ? std::string_view(text->bytes) : std::string_view();
    for (Pid pid = 0; take_number(rest, pid) && rest.starts_with(' '); rest.remove_prefix(1)) children.push_back(pid);
    return children;
}

}  // namespace

Result<std::vector<Pid>> read_descendants(const Procfs& procfs, std::vector<Pid> ancestors,
                                          const std::set<Pid>& strangers) {
    const auto table = read_table(procfs);
    if (!table) return tl::unexpected(table.error());
    std::set<Pid> passed = strangers;
    passed.insert(ancestors.begin(), ancestors.end());
    std::vector<Pid> found = std::move(ancestors);
    const std::size_t first = found.size();
    // A parent that was replaced while this looked can close a ring.
    const auto take = [&](Pid pid) {
        if (passed.insert(pid).second) found.push_back(pid);
    };
    for (std::size_t known = 0; known < found.size(); ++known) {
        const auto [begin, end] = table->equal_range(found[known]);
        std::for_each(begin, end, [&take](const auto& child) { take(child.second); });
        std::ranges::for_each(read_children(procfs, found[known]), take);
    }
    found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(first));
    std::ranges::sort(found);
    return found;
}

Result<bool> is_descendant(const Procfs& procfs, Pid pid, Pid ancestor, const std::set<Pid>& strangers) {
    const auto first = chain_to(procfs, pid, ancestor);
    if (!first) return tl::unexpected(first.error());
    const auto second = chain_to(procfs, pid, ancestor);
    if (!second) return tl::unexpected(second.error());
    const bool by_stranger = std::ranges::any_of(*first, [&](Pid link) { return strangers.contains(link); });
    return pid != ancestor && first->back() == ancestor && *first == *second && !by_stranger;
}

}  // namespace reaper::scanner
