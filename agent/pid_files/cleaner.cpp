#include "agent/pid_files/cleaner.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <optional>
#include <tuple>

#include "agent/pid_files/locks.hpp"
#include "agent/system/system_calls.hpp"
#include "scanner/fd.hpp"
#include "scanner/regular_file.hpp"

namespace reaper::agent {

namespace {

using policy::FileJudgement;
using scanner::ClaimFile;
using scanner::ClaimKind;

Removal failed(const Error& error) {
    return {RemovalResult::failed, describe(error)};
}

bool is_absent(const Error& error) {
    return error.code == std::errc::no_such_file_or_directory;
}

// True if it was not written to or replaced since it was judged.
bool is_same(const ClaimFile& before, const ClaimFile& now) {
    return now.found && before.stamp == now.stamp && before.text == now.text;
}

Removal busy() {
    return {RemovalResult::locked, "another run is at work on it"};
}

bool is_held(const Error& error) {
    return error.code == std::errc::resource_unavailable_try_again ||
           error.code == std::errc::operation_would_block;
}

std::string name_of(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

bool is_same_inode(int folder, const std::string& one, const std::string& other) {
    struct stat left{};
    struct stat right{};
    return ::fstatat(folder, one.c_str(), &left, AT_SYMLINK_NOFOLLOW) == 0 &&
           ::fstatat(folder, other.c_str(), &right, AT_SYMLINK_NOFOLLOW) == 0 &&
           left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

// Renames, but never over a file that has that name: EEXIST. False: errno says why.
bool move_to_free_name(int folder, const std::string& from, const std::string& to) {
    if (rename_to_free_name(folder, from.c_str(), to.c_str())) return true;
    if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) return false;
    // Some file systems (NFS, 9p) cannot do that. A second link replaces nothing either, and a
    // file that has replaced the first name meanwhile keeps it.
    if (::linkat(folder, from.c_str(), folder, to.c_str(), 0) != 0) return false;
    if (!is_same_inode(folder, from, to) || ::unlinkat(folder, from.c_str(), 0) == 0) return true;
    const int why = errno;
    std::ignore = ::unlinkat(folder, to.c_str(), 0);
    errno = why;
    return false;
}

Result<Fd> open_folder_of(const ClaimFile& file, int home) {
    const std::size_t slash = file.name.rfind('/');
    const std::string below = slash == std::string::npos ? "." : file.name.substr(0, slash);
    auto folder = scanner::find_below(home, below.c_str());
    if (!folder) return tl::unexpected(folder.error());
    return std::move(folder->path);
}

// The removal of one file.
class FileRemoval {
   public:
    FileRemoval(const scanner::ProcessTable& table, const ClaimFile& file,
                const CleanerParts& parts, Fd home)
        : table_(table), file_(file), parts_(parts), home_(std::move(home)) {}

    Removal run() {
        // On a file system without locks, runs cannot see each other: there a file that is aside is
        // never put back.
        const auto lock = lock_pid_file(file_, home_.get());
        if (!lock && is_held(lock.error())) return held();
        const ClaimFile fresh = scanner::read_again(table_, file_, home_.get(), file_.name);
        if (const auto objection = object(fresh)) return *objection;
        if (const auto told = parts_.announce(file_, parts_.judge(fresh)); !told)
            return {RemovalResult::refused, describe(told.error())};
        parts_.reached(RemovalPoint::proven);
        if (const auto obstacle = quarantine()) return *obstacle;
        parts_.reached(RemovalPoint::aside);
        ClaimFile taken = scanner::read_again(table_, file_, home_.get(), quarantine_name_);
        if (shares_lock()) taken.lock = lock_;
        if (auto objection = object(taken)) return put_back(*std::move(objection));
        if (::unlinkat(folder_.get(), name_of(quarantine_name_).c_str(), 0) != 0)
            return put_back(failed(system_failure("remove", file_.path).value()));
        return {RemovalResult::removed, {}};
    }

   private:
    // Runs only share the lock of a file in its place.
    [[nodiscard]] Removal held() const {
        const bool in_place = scanner::place_of(file_.name) == file_.name;
        return in_place ? Removal{RemovalResult::failed, "another process has locked it"} : busy();
    }

    [[nodiscard]] std::optional<Removal> object(const ClaimFile& now) const {
        if (!is_same(file_, now))
            return Removal{RemovalResult::changed, "it is not the same file any more"};
        const FileJudgement judgement = parts_.judge(now);
        if (judgement.remove) return std::nullopt;
        return Removal{RemovalResult::changed,
                       judgement.paused ? "an update has begun" : judgement.reason};
    }

    [[nodiscard]] bool shares_lock() const {
        const bool sees_all = parts_.sees_all_locks && !file_.shared_mount;
        return file_.kind == ClaimKind::gateway_pid ||
               (file_.kind == ClaimKind::host_record && !sees_all);
    }

    // The lock is held for these two calls only, and released with `lock`: a gateway that starts
    // from now on finds the place free.
    [[nodiscard]] std::optional<Removal> quarantine() {
        auto folder = open_folder_of(file_, home_.get());
        if (!folder) return failed(folder.error());
        folder_ = std::move(*folder);
        std::optional<Fd> lock;
        if (shares_lock()) {
            auto shared = share_lock(home_.get(), scanner::lock_name(file_.kind, file_.name));
            if (!shared) return locked_out(shared.error());
            lock = std::move(*shared);
            lock_.state = lock ? scanner::LockState::free : scanner::LockState::absent;
        }
        parts_.reached(RemovalPoint::locked);
        if (rename_to_quarantine()) return std::nullopt;
        if (errno == ENOENT) return Removal{RemovalResult::gone, "it was removed meanwhile"};
        return failed(system_failure("take aside", file_.path).value());
    }

    // An earlier run with the same pid (in a container each has the same) may have been killed and
    // have left that name.
    [[nodiscard]] bool rename_to_quarantine() {
        constexpr int kNames = 100;
        const std::string first = quarantine_name_;
        for (int number = 1; number <= kNames; ++number) {
            if (move_to_free_name(folder_.get(), name_of(file_.name), name_of(quarantine_name_)))
                return true;
            if (errno != EEXIST) return false;
            quarantine_name_ = first + "." + std::to_string(number);
        }
        return false;
    }

    [[nodiscard]] Removal locked_out(const Error& error) const {
        return is_held(error)
                   ? Removal{RemovalResult::locked, "a process has just taken " +
                                                        scanner::lock_name(file_.kind, file_.name)}
                   : failed(error);
    }

    // A file that was made in its place meanwhile counts.
    Removal put_back(Removal why) {
        const std::string aside = name_of(quarantine_name_);
        if (move_to_free_name(folder_.get(), aside, name_of(file_.name))) return why;
        if (errno == ENOENT) return why;  // another run has put it back
        if (errno != EEXIST)
            return failed(
                system_failure("put back", file_.path + ", now beside its place as " + aside)
                    .value());
        std::ignore = ::unlinkat(folder_.get(), aside.c_str(), 0);
        return {RemovalResult::changed, "a new one was written meanwhile"};
    }

    const scanner::ProcessTable& table_;
    const ClaimFile& file_;
    const CleanerParts& parts_;
    Fd home_;
    Fd folder_;
    // The gateway's lock as it was while the file was renamed. Whatever holds the lock after that
    // is a gateway that starts: this file is not its own, and putting it back would keep it from
    // making one.
    scanner::LockReading lock_;
    std::string quarantine_name_ =
        file_.name + std::string(scanner::kQuarantineSuffix) + std::to_string(::getpid());
};

// A file that was made in its place meanwhile counts.
Removal return_to_place(const ClaimFile& file, const Fd& home) {
    const auto folder = open_folder_of(file, home.get());
    if (!folder) return failed(folder.error());
    const std::string aside = name_of(file.name);
    const std::string place(scanner::place_of(aside));
    if (move_to_free_name(folder->get(), aside, place)) return {RemovalResult::put_back, {}};
    if (errno == EEXIST) return {RemovalResult::changed, "there is a newer " + place};
    return failed(system_failure("put back", file.path).value());
}

}  // namespace

Removal remove_stale(const scanner::ProcessTable& table, const ClaimFile& file,
                     const CleanerParts& parts) {
    auto home = scanner::open_claim_home(file.home);
    if (!home) return failed(home.error());
    return FileRemoval(table, file, parts, std::move(*home)).run();
}

Removal put_back(const scanner::ProcessTable& table, const ClaimFile& file,
                 const CleanerParts& parts) {
    const auto home = scanner::open_claim_home(file.home);
    if (!home) return failed(home.error());
    const auto lock = lock_pid_file(file, home->get());
    if (!lock && is_held(lock.error())) return busy();
    if (!lock && is_absent(lock.error()))
        return {RemovalResult::gone, "another run has put it back"};
    if (!lock) return failed(lock.error());
    const ClaimFile fresh = scanner::read_again(table, file, home->get(), file.name);
    if (!is_same(file, fresh) || !parts.judge(fresh).put_back)
        return {RemovalResult::changed, "it is not the same file any more"};
    return return_to_place(file, *home);
}

}  // namespace reaper::agent
