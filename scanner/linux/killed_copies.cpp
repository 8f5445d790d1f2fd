#include "scanner/killed_copies.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <utility>

#include <fmt/format.h>

#include "scanner/directory.hpp"
#include "scanner/linux/procfs.hpp"
#include "scanner/machine.hpp"
#include "scanner/own_process.hpp"
#include "scanner/parse/interpreter.hpp"
#include "scanner/parse/proc_mountinfo.hpp"
#include "scanner/parse/proc_status.hpp"
#include "scanner/read_file.hpp"

namespace reaper::scanner {

namespace {

constexpr std::size_t kStatusLimit = 65536;
constexpr std::size_t kMountsLimit = 4 * 1024 * 1024;

std::string own_name(const ProcessTable& table) {
    const auto exe = read_link_at(fd_of(table), "self/exe");
    if (!exe) return {};
    const std::string_view path = without_deleted_mark(*exe);
    return std::string(path.substr(path.rfind('/') + 1));
}

// A setuid program can have only uids of root for a moment, and any words; but not this exe.
bool is_killed_copy(const ProcessTable& table, int process, Pid pid) {
    const auto stat = read_stat(table, pid);
    if (!stat || stat->state != 'D') return false;
    const auto text = read_at(process, "status", kStatusLimit);
    if (!text || !is_kill_pending(text->bytes)) return false;
    const auto status = parse_status(text->bytes);
    const Uid own = ::geteuid();
    return status && status->uids == Uids{own, own, own, own} && status->namespace_pids.size() == 1;
}

// Invalid: it has none. No other file is opened, as that could hang.
Fd open_memory(int process, std::string_view memory) {
    const std::string wanted = fmt::format("/memfd:{} (deleted)", memory);
    const auto numbers = list_numbers_at(process, "fd");
    if (!numbers) return {};
    for (const int number : *numbers) {
        const std::string path = fmt::format("fd/{}", number);
        if (read_link_at(process, path.c_str()) == wanted)
            return Fd(::openat(process, path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    }
    return {};
}

struct flock lock_of(short type) {
    struct flock lock{};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = off_t{::geteuid()};
    lock.l_len = 1;
    return lock;
}

// Invalid also where a server would be asked about locks, which may not answer.
Fd open_own_program(const ProcessTable& table) {
    const auto exe = read_link_at(fd_of(table), "self/exe");
    const auto mounts = read_own_mounts(table, kMountsLimit);
    if (!exe || !mounts || !find_remote_mount(*mounts, *exe).empty()) return {};
    return Fd(::openat(fd_of(table), "self/exe", O_RDONLY | O_CLOEXEC));
}

// The lock belongs to the open file, so it lives as long as a process that has it.
bool take_lock(const Fd& program) {
    struct flock lock = lock_of(F_RDLCK);
    return ::fcntl(program.get(), F_OFD_SETLK, &lock) == 0;
}

}  // namespace

Fd mark_copy(const ProcessTable& table) {
    Fd program = open_own_program(table);
    return program && take_lock(program) ? std::move(program) : Fd();
}

bool may_have_copies(const ProcessTable& table) {
    const Fd program = open_own_program(table);
    struct flock lock = lock_of(F_WRLCK);
    return !program || ::fcntl(program.get(), F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK ||
           !take_lock(program);
}

std::vector<KilledCopy> find_killed_copies(const ProcessTable& table, std::string_view memory) {
    std::vector<KilledCopy> copies;
    const std::string name = own_name(table);
    const auto found = walk(table, {::geteuid(), {name}});
    if (name.empty() || !found) return copies;
    for (const Pid pid : found->candidates) {
        auto handle = PidHandle::open(pid);
        const auto process = open_process(table, pid);
        if (!handle || !process || !is_killed_copy(table, process->get(), pid)) continue;
        if (Fd opened = open_memory(process->get(), memory))
            copies.push_back({*std::move(handle), std::move(opened)});
    }
    return copies;
}

}  // namespace reaper::scanner
