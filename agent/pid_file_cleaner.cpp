#include "agent/pid_file_cleaner.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <optional>
#include <tuple>

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

// A descriptor of gateway.lock with a shared lock on it; none where there is no such file.
// EWOULDBLOCK: a gateway holds it.
Result<std::optional<Fd>> share_lock(int home) {
    constexpr const char* kName = "gateway.lock";
    const auto found = scanner::find_below(home, kName);
    if (!found && is_absent(found.error())) return std::nullopt;
    if (!found) return tl::unexpected(found.error());
    if (!S_ISREG(found->status.st_mode)) return failure(std::errc::not_supported, "lock", kName);
    // NFS grants an exclusive lock only to who can write. Shared is enough: gateways want theirs exclusive.
    const std::string link = "/proc/self/fd/" + std::to_string(found->path.get());
    Fd file(::open(link.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file || ::flock(file.get(), LOCK_SH | LOCK_NB) != 0) return system_failure("lock", kName);
    struct stat now{};
    const bool same = ::fstatat(home, kName, &now, AT_SYMLINK_NOFOLLOW) == 0 && now.st_dev == found->status.st_dev &&
                      now.st_ino == found->status.st_ino;
    if (!same) return failure(std::errc::resource_unavailable_try_again, "lock", kName);
    return std::optional(std::move(file));
}

// One removal on its way.
class Taking {
   public:
    Taking(const scanner::Procfs& procfs, const ClaimFile& file, const CleanerParts& parts, Fd home)
        : procfs_(procfs), file_(file), parts_(parts), home_(std::move(home)) {}

    Removal run() {
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
    static std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

    [[nodiscard]] std::optional<Removal> object(const ClaimFile& now) const {
        if (!is_same(file_, now)) return Removal{RemovalResult::changed, "it is not the same file any more"};
        const FileJudgement judgement = parts_.judge(now);
        if (judgement.remove) return std::nullopt;
        return Removal{RemovalResult::changed, judgement.paused ? "an update has begun" : judgement.reason};
    }

    [[nodiscard]] std::optional<Removal> open_folder() {
        const std::size_t slash = file_.name.rfind('/');
        const std::string below = slash == std::string::npos ? "." : file_.name.substr(0, slash);
        auto folder = scanner::find_below(home_.get(), below.c_str());
        if (!folder) return failed(folder.error());
        folder_ = std::move(folder->path);
        return std::nullopt;
    }

    // The lock is held for these two calls only, and given back when `lock` goes: whoever starts from now on finds the place free.
    [[nodiscard]] std::optional<Removal> take_aside() {
        if (auto obstacle = open_folder()) return obstacle;
        std::optional<Fd> lock;
        if (file_.kind == ClaimKind::gateway_pid) {
            auto shared = share_lock(home_.get());
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
            const int renamed = ::renameat2(folder_.get(), name_of(file_.name).c_str(), folder_.get(),
                                            name_of(aside_).c_str(), RENAME_NOREPLACE);
            if (renamed == 0) return true;
            if (errno != EEXIST) return false;
            aside_ = first + "." + std::to_string(number);
        }
        return false;
    }

    static Removal locked_out(const Error& error) {
        const bool held =
            error.code == std::errc::resource_unavailable_try_again || error.code == std::errc::operation_would_block;
        return held ? Removal{RemovalResult::locked, "a gateway has just taken gateway.lock"} : failed(error);
    }

    // Where somebody has made a new file meanwhile, that one counts.
    Removal put_back(Removal why) {
        const std::string aside = name_of(aside_);
        const int back =
            ::renameat2(folder_.get(), aside.c_str(), folder_.get(), name_of(file_.name).c_str(), RENAME_NOREPLACE);
        if (back == 0) return why;
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
    std::string aside_ = file_.name + ".taken-aside." + std::to_string(::getpid());
};

}  // namespace

Removal remove_stale(const scanner::Procfs& procfs, const ClaimFile& file, const CleanerParts& parts) {
    auto home = scanner::open_claim_home(file.home);
    if (!home) return failed(home.error());
    return Taking(procfs, file, parts, std::move(*home)).run();
}

}  // namespace reaper::agent
