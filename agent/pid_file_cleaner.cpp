#include "agent/pid_file_cleaner.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <optional>
#include <tuple>

#include "agent/pid_file_locks.hpp"
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

// Nobody has written to it or replaced it since it was judged.
bool is_same(const ClaimFile& before, const ClaimFile& now) {
    return now.found && before.stamp == now.stamp && before.text == now.text;
}

Removal busy() {
    return {RemovalResult::locked, "another run is at work on it"};
}

bool is_held(const Error& error) {
    return error.code == std::errc::resource_unavailable_try_again || error.code == std::errc::operation_would_block;
}

std::string name_of(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

bool is_same_inode(int folder, const std::string& one, const std::string& other) {
    struct stat left{};
    struct stat right{};
    return ::fstatat(folder, one.c_str(), &left, AT_SYMLINK_NOFOLLOW) == 0 &&
           ::fstatat(folder, other.c_str(), &right, AT_SYMLINK_NOFOLLOW) == 0 && left.st_dev == right.st_dev &&
           left.st_ino == right.st_ino;
}

// Never over a file that has that name: EEXIST. False: errno says why.
bool move_to_free_name(int folder, const std::string& from, const std::string& to) {
    if (::renameat2(folder, from.c_str(), folder, to.c_str(), RENAME_NOREPLACE) == 0) return true;
    if (errno != EINVAL && errno != ENOSYS) return false;
    // NFS and 9p, say, have no such flag. A second name replaces nothing either; whoever has replaced the first one since keeps his.
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

// One removal on its way.
class Taking {
   public:
    Taking(const scanner::Procfs& procfs, const ClaimFile& file, const CleanerParts& parts, Fd home)
        : procfs_(procfs), file_(file), parts_(parts), home_(std::move(home)) {}

    Removal run() {
        // A file system that knows no locks is none on which runs could tell each other: then a file that is aside is never put back.
        const auto lock = lock_pid_file(file_, home_.get());
        if (!lock && is_held(lock.error())) return held();
        const ClaimFile fresh = scanner::read_again(procfs_, file_, home_.get(), file_.name);
        if (const auto objection = object(fresh)) return *objection;
        if (const auto told = parts_.announce(file_, parts_.judge(fresh)); !told)
            return {RemovalResult::refused, describe(told.error())};
        parts_.reached(RemovalPoint::proven);
        if (const auto obstacle = take_aside()) return *obstacle;
        parts_.reached(RemovalPoint::aside);
        ClaimFile taken = scanner::read_again(procfs_, file_, home_.get(), aside_);
        taken.lock = lock_;
        if (auto objection = object(taken)) return put_back(*std::move(objection));
        if (::unlinkat(folder_.get(), name_of(aside_).c_str(), 0) != 0)
            return put_back(failed(system_failure("remove", file_.path).value()));
        return {RemovalResult::removed, {}};
    }

   private:
    // What lies in its place runs only share.
    [[nodiscard]] Removal held() const {
        const bool in_place = scanner::place_of(file_.name) == file_.name;
        return in_place ? Removal{RemovalResult::failed, "somebody has locked it"} : busy();
    }

    [[nodiscard]] std::optional<Removal> object(const ClaimFile& now) const {
        if (!is_same(file_, now)) return Removal{RemovalResult::changed, "it is not the same file any more"};
        const FileJudgement judgement = parts_.judge(now);
        if (judgement.remove) return std::nullopt;
        return Removal{RemovalResult::changed, judgement.paused ? "an update has begun" : judgement.reason};
    }

    // The lock is held for these two calls only, and given back when `lock` goes: whoever starts from now on finds the place free.
    [[nodiscard]] std::optional<Removal> take_aside() {
        auto folder = open_folder_of(file_, home_.get());
        if (!folder) return failed(folder.error());
        folder_ = std::move(*folder);
        std::optional<Fd> lock;
        if (file_.kind == ClaimKind::gateway_pid) {
            auto shared = share_gateway_lock(home_.get());
            if (!shared) return locked_out(shared.error());
            lock = std::move(*shared);
            lock_.state = lock ? scanner::LockState::free : scanner::LockState::absent;
        }
        parts_.reached(RemovalPoint::locked);
        if (rename_aside()) return std::nullopt;
        if (errno == ENOENT) return Removal{RemovalResult::gone, "somebody else has removed it"};
        return failed(system_failure("take aside", file_.path).value());
    }

    // A run of the same pid, as a container has it each time, may have been killed and have left that name.
    [[nodiscard]] bool rename_aside() {
        constexpr int kNames = 100;
        const std::string first = aside_;
        for (int number = 1; number <= kNames; ++number) {
            if (move_to_free_name(folder_.get(), name_of(file_.name), name_of(aside_))) return true;
            if (errno != EEXIST) return false;
            aside_ = first + "." + std::to_string(number);
        }
        return false;
    }

    static Removal locked_out(const Error& error) {
        return is_held(error) ? Removal{RemovalResult::locked, "a gateway has just taken gateway.lock"} : failed(error);
    }

    // Where somebody has made a new file meanwhile, that one counts.
    Removal put_back(Removal why) {
        const std::string aside = name_of(aside_);
        if (move_to_free_name(folder_.get(), aside, name_of(file_.name))) return why;
        if (errno == ENOENT) return why;  // another run has put it back
        if (errno != EEXIST)
            return failed(system_failure("put back", file_.path + ", now beside its place as " + aside).value());
        std::ignore = ::unlinkat(folder_.get(), aside.c_str(), 0);
        return {RemovalResult::changed, "somebody has written a new one"};
    }

    const scanner::Procfs& procfs_;
    const ClaimFile& file_;
    const CleanerParts& parts_;
    Fd home_;
    Fd folder_;
    // As it was while the file was taken away. Whoever holds the lock after that is a gateway that starts: this file is not his, and to put
    // it back would keep him from making one.
    scanner::LockReading lock_;
    std::string aside_ = file_.name + std::string(scanner::kTakenAside) + std::to_string(::getpid());
};

// Where whoever named it has made a new one meanwhile, that one counts.
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

Removal remove_stale(const scanner::Procfs& procfs, const ClaimFile& file, const CleanerParts& parts) {
    auto home = scanner::open_claim_home(file.home);
    if (!home) return failed(home.error());
    return Taking(procfs, file, parts, std::move(*home)).run();
}

Removal put_back(const scanner::Procfs& procfs, const ClaimFile& file, const CleanerParts& parts) {
    const auto home = scanner::open_claim_home(file.home);
    if (!home) return failed(home.error());
    const auto lock = lock_pid_file(file, home->get());
    if (!lock && is_held(lock.error())) return busy();
    if (!lock && is_absent(lock.error())) return {RemovalResult::gone, "another run has put it back"};
    if (!lock) return failed(lock.error());
    const ClaimFile fresh = scanner::read_again(procfs, file, home->get(), file.name);
    if (!is_same(file, fresh) || !parts.judge(fresh).put_back)
        return {RemovalResult::changed, "it is not the same file any more"};
    return return_to_place(file, *home);
}

}  // namespace reaper::agent
