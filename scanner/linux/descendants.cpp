#include "scanner/descendants.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "scanner/directory.hpp"
#include "scanner/linux/procfs.hpp"
#include "scanner/machine.hpp"
#include "scanner/model/number.hpp"
#include "scanner/model/reading.hpp"
#include "scanner/read_file.hpp"

namespace reaper::scanner {

namespace {

constexpr std::size_t kChildrenLimit = 1024 * 1024;

// Returns the chain of parents up to `ancestor`, or to its end without it.
Result<std::vector<Pid>> chain_to(const ProcessTable& table, Pid pid, Pid ancestor) {
    std::vector<Pid> chain;
    while (pid > 1 && pid != ancestor && std::ranges::find(chain, pid) == chain.end()) {
        chain.push_back(pid);
        const auto parent = read_parent(table, pid);
        if (!parent) return tl::unexpected(parent.error());
        pid = *parent;
    }
    chain.push_back(pid);
    return chain;
}

using Children = std::multimap<Pid, Pid>;

Result<Children> read_parents(const ProcessTable& table) {
    const auto pids = list_numbers_at(fd_of(table), ".");
    if (!pids) return tl::unexpected(pids.error());
    Children children;
    for (const Pid pid : *pids) {
        if (const auto parent = read_parent(table, pid)) children.emplace(*parent, pid);
    }
    return children;
}

void add_numbers(std::string_view text, std::vector<Pid>& numbers) {
    for (Pid pid = 0; take_number(text, pid) && text.starts_with(' '); text.remove_prefix(1))
        numbers.push_back(pid);
}

// Reads the children of the first thread, "12 34 ", including those that hidepid hides. A program
// without threads has all its children there, and a process that adopts others has those there.
std::vector<Pid> read_children(const ProcessTable& table, Pid parent) {
    const std::string number = std::to_string(parent);
    const auto text =
        read_at(fd_of(table), (number + "/task/" + number + "/children").c_str(), kChildrenLimit);
    std::vector<Pid> children;
    if (text) add_numbers(text->bytes, children);
    return children;
}

// Empty: it has none, or is gone.
Result<std::vector<Pid>> children_of_threads(const ProcessTable& table, Pid pid) {
    const std::string folder = std::to_string(pid) + "/task";
    const auto threads = list_numbers_at(fd_of(table), folder.c_str());
    if (!threads && access_of(threads.error().code) == Access::gone) return std::vector<Pid>{};
    if (!threads) return tl::unexpected(threads.error());
    std::vector<Pid> children;
    for (const int thread : *threads) {
        const auto text =
            read_at(fd_of(table), (folder + "/" + std::to_string(thread) + "/children").c_str(),
                    kChildrenLimit);
        if (!text && access_of(text.error().code) == Access::gone) continue;
        if (!text) return tl::unexpected(text.error());
        add_numbers(text->bytes, children);
    }
    return children;
}

// True if the kernel has CONFIG_PROC_CHILDREN, which this process shows, too.
bool lists_children(const ProcessTable& table) {
    return ::faccessat(fd_of(table), "thread-self/children", F_OK, 0) == 0;
}

}  // namespace

Result<std::vector<Pid>> list_descendants(const ProcessTable& table, Pid pid, std::size_t most) {
    if (!lists_children(table)) return read_descendants(table, {pid});
    std::vector<Pid> found{pid};
    for (std::size_t known = 0; known < found.size(); ++known) {
        const auto children = children_of_threads(table, found[known]);
        if (!children) return tl::unexpected(children.error());
        for (const Pid child : *children) {
            if (std::ranges::find(found, child) == found.end()) found.push_back(child);
            if (found.size() > most + 1)
                return failure(std::errc::file_too_large, "list",
                               "what " + std::to_string(pid) + " has started");
        }
    }
    found.erase(found.begin());
    std::ranges::sort(found);
    return found;
}

Result<std::vector<Pid>> read_descendants(const ProcessTable& table, std::vector<Pid> ancestors) {
    const auto parents = read_parents(table);
    if (!parents) return tl::unexpected(parents.error());
    std::set<Pid> passed(ancestors.begin(), ancestors.end());
    std::vector<Pid> found = std::move(ancestors);
    const std::size_t first = found.size();
    // A parent that was replaced during the walk can close a ring.
    const auto take = [&](Pid pid) {
        if (passed.insert(pid).second) found.push_back(pid);
    };
    for (std::size_t known = 0; known < found.size(); ++known) {
        const auto [begin, end] = parents->equal_range(found[known]);
        std::for_each(begin, end, [&take](const auto& child) { take(child.second); });
        std::ranges::for_each(read_children(table, found[known]), take);
    }
    found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(first));
    std::ranges::sort(found);
    return found;
}

Result<bool> is_descendant(const ProcessTable& table, Pid pid, Pid ancestor) {
    const auto first = chain_to(table, pid, ancestor);
    if (!first) return tl::unexpected(first.error());
    const auto second = chain_to(table, pid, ancestor);
    if (!second) return tl::unexpected(second.error());
    return pid != ancestor && first->back() == ancestor && *first == *second;
}

}  // namespace reaper::scanner
