// One sweep at a time: whoever is about to end processes of a user holds that user's locks, which are two. The user's home folder itself, by
// flock(2): it is there before anybody has swept, needs no right to write, and is the same for a timer, a shell, a service and root. And
// a name, for all whose home is not there, or cannot be opened by the user or by root: anybody may take that, so it is not enough alone.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "agent/interrupt.hpp"
#include "scanner/fd.hpp"
#include "scanner/identity.hpp"
#include "scanner/result.hpp"

namespace reaper::agent {

// What is locked for a user.
struct LockPlace {
    std::string home;  // as the password file has it; empty: it has none
    std::string name;  // of the lock without a file
};

[[nodiscard]] LockPlace lock_place(scanner::Uid user);

// Open, and not locked; whoever starts a copy of this process shares them with it. One that cannot be had is closed.
struct OpenLocks {
    Fd home;
    Fd name;
};

[[nodiscard]] OpenLocks open_sweep_locks(scanner::Uid user, const LockPlace& place);

// The locks of one sweep, until it ends. However many sweeps there are, none waits for ever and no two wait for each other: only
// root takes the locks of more than one user, root's own come first, and everybody's home comes before the name.
class SweepLocks {
   public:
    // Waits for all of them together no longer than `patience`, nor beyond an interrupt. Whoever watches `terminal` is told that it
    // waits; -1: nobody does.
    SweepLocks(const Interrupt& interrupt, std::chrono::milliseconds patience, int terminal = -1)
        : interrupt_(interrupt), last_moment_(std::chrono::steady_clock::now() + patience), terminal_(terminal) {}

    // Several sweeps of one program can share a user's locks: these are open already, in whoever started this sweep and in its copies.
    void share(scanner::Uid user, OpenLocks locks) { shared_.insert_or_assign(user, std::move(locks)); }

    // Empty: the locks of that user are held, as far as they can be had. Otherwise who has one. A home is for everybody to lock who may read it,
    // and a name for everybody: whoever is neither that user nor root is no sweep of that user's processes, and not waited for. Where nobody
    // knows who locked a home, the name tells whether it is a sweep.
    [[nodiscard]] std::string hold(scanner::Uid user, const LockPlace& place);
    [[nodiscard]] std::string hold(scanner::Uid user) { return hold(user, lock_place(user)); }

    // Not empty: neither lock of some user could be had, and why; then another sweep may be at work.
    [[nodiscard]] const std::string& complaint() const { return complaint_; }

    // Another sweep was in the way.
    [[nodiscard]] bool refused() const { return refused_; }

    // Who had the last lock that could not be had; 0: not known.
    [[nodiscard]] scanner::Pid holder() const { return holder_; }

   private:
    struct Lock;
    enum class Take { held, not_to_be_had, untold };  // untold: who has it, if anybody, is not known
    using Taken = tl::expected<Take, std::string>;    // the error: which sweep has it

    [[nodiscard]] std::string take(scanner::Uid user, const LockPlace& place);
    [[nodiscard]] Taken take_home(scanner::Uid user, const std::string& path, Fd& home);
    [[nodiscard]] Taken take_name(scanner::Uid user, const std::string& name, Fd& socket);
    [[nodiscard]] Taken wait_for(scanner::Uid user, const Lock& lock);
    [[nodiscard]] std::string describe_holder() const;
    [[nodiscard]] bool holds_the_same(const Fd& home) const;
    void tell();

    const Interrupt& interrupt_;
    std::chrono::steady_clock::time_point last_moment_;
    int terminal_;
    std::map<scanner::Uid, OpenLocks> shared_;
    std::map<scanner::Uid, OpenLocks> held_;
    std::string trouble_;  // why the last lock could not be had
    std::string complaint_;
    scanner::Pid holder_ = 0;
    bool refused_ = false;
};

// Where other locks of the user who runs this are looked for. Whatever XDG_STATE_HOME says it is in the home that the password file tells;
// only where nothing can be made or found there, beside the history. Root's is /var/lib/orphan-reaper.
[[nodiscard]] std::vector<std::string> lock_folders();

}  // namespace reaper::agent
