#include "scanner/linux/own_folders.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include "scanner/access_guard.hpp"
#include "scanner/fd.hpp"
#include "scanner/linux/claim_reading.hpp"
#include "scanner/linux/process_files.hpp"
#include "scanner/linux/procfs.hpp"
#include "scanner/linux/rooted_file.hpp"

namespace reaper::scanner {

namespace {

using Answer = Reading<bool>;
using Paths = Reading<std::vector<std::string>>;

bool is_same(const struct stat& left, const struct stat& right) {
    return left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

// A missing root means that the process is ending: no answer.
Result<Fd> open_root(int process) {
    Fd root(::openat(process, "root", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!root) return system_failure("open", "root");
    return root;
}

Answer compare(const Result<FoundFile>& theirs, const Result<FoundFile>& ours) {
    if (theirs && ours) return Answer::of(is_same(theirs->status, ours->status));
    if (!theirs && !proves_absence(theirs.error())) return Answer::failed(Access::denied);
    if (!ours && !proves_absence(ours.error())) return Answer::failed(Access::denied);
    return Answer::of(!theirs && !ours);
}

// True if resolving the path component by component cannot go back.
bool goes_forward(const std::string& path) {
    return path.size() > 1 && path.find("//") == path.npos &&
           (path + "/").find("/../") == path.npos;
}

// Without openat2 (Linux before 5.6, and sandboxes that do not know it) only a path without links
// is certain.
Result<FoundFile> find_there(int root, const std::string& path) {
    auto found = find_in_root(root, path.c_str());
    const bool no_call = !found && (found.error().code == std::errc::function_not_supported ||
                                    found.error().code == std::errc::operation_not_permitted);
    if (!no_call || !goes_forward(path)) return found;
    found = find_below(root, path.c_str() + 1);
    if (found && S_ISLNK(found->status.st_mode))
        return failure(std::errc::too_many_symbolic_link_levels, "open", path);
    return found;
}

// Nothing is hidden if the process sees no folder there, or ours.
Answer hides_records(int root, const std::string& path) {
    const auto theirs = find_there(root, path);
    if (!theirs && proves_absence(theirs.error())) return Answer::of(false);
    const Answer same = compare(theirs, find_through_links(AT_FDCWD, path.c_str()));
    if (!same.ok() || same.value) return {same.access, false};
    return S_ISDIR(theirs->status.st_mode) ? holds_records(theirs->path.get()) : Answer::of(false);
}

}  // namespace

Reading<bool> has_our_root(const ProcessTable& table, int process, const ProcessRow& row) {
    if (!may_read(row.uid, "/proc/" + std::to_string(row.pid) + "/root"))
        return Answer::failed(Access::denied);
    struct stat theirs{};
    struct stat ours{};
    const bool seen = ::fstatat(process, "root", &theirs, 0) == 0 &&
                      ::fstatat(fd_of(table), "self/root", &ours, 0) == 0;
    return seen ? Answer::of(is_same(theirs, ours)) : Answer::failed(Access::denied);
}

Reading<bool> sees_our_folder(int process, Uid user, const std::string& path) {
    if (!may_read(user, path)) return Answer::failed(Access::denied);
    const auto root = open_root(process);
    if (!root) return Answer::failed(Access::denied);
    return compare(find_there(root->get(), path), find_through_links(AT_FDCWD, path.c_str()));
}

Reading<std::vector<std::string>> find_hidden_records(int process, Uid user,
                                                      const std::vector<std::string>& paths) {
    if (paths.empty()) return Paths::of({});
    const auto root = open_root(process);
    if (!root) return Paths::failed(Access::denied);
    std::vector<std::string> hidden;
    for (const std::string& path : paths) {
        if (!may_read(user, path)) return Paths::failed(Access::denied);
        const Answer hides = hides_records(root->get(), path);
        if (!hides.ok()) return Paths::failed(hides.access);
        if (hides.value) hidden.push_back(path);
    }
    return Paths::of(std::move(hidden));
}

}  // namespace reaper::scanner
