// One sweep at a time: whatever is about to end processes of a user holds that user's lock, which
// is flock(2) on the home folder itself. The folder is there before any sweep has run, needs no
// right to write, and is the same for a timer, a shell, a service and root. Where it cannot be
// locked, the sweep goes on and says so.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "agent/system/interrupt.hpp"
#include "scanner/fd.hpp"
#include "scanner/model/identity.hpp"
#include "scanner/model/result.hpp"

namespace reaper::agent {

// The home of the password file; empty: the user has none.
[[nodiscard]] std::string home_to_lock(scanner::Uid user);

// Opens the home, and does not lock it; copies of this process share it. Fails where it cannot be
// opened, belongs to a third user, or does not answer.
[[nodiscard]] Result<Fd> open_home_to_lock(scanner::Uid user, const std::string& home);

// The locks of one sweep, until it ends. No sweep waits for ever and no two wait for each other:
// only root takes the locks of more than one user, and root's own comes first.
class SweepLocks {
   public:
    // Waits for all of them together no longer than `patience`, nor beyond an interrupt. Says on
    // `terminal` that it waits; -1: nowhere.
    SweepLocks(const Interrupt& interrupt, std::chrono::milliseconds patience, int terminal = -1)
        : interrupt_(interrupt),
          last_moment_(std::chrono::steady_clock::now() + patience),
          terminal_(terminal) {}

    // Several sweeps of one program can share a user's lock: the home is open already, in the
    // process that started this sweep and in its copies.
    void share(scanner::Uid user, Fd home) { shared_.insert_or_assign(user, std::move(home)); }

    // Empty: the lock is held, or cannot be had (see complaint()). Otherwise which process has it.
    // Any user who may read a home can lock it: a process that is neither that user's nor root's is
    // no sweep, and is not waited for. One that the kernel does not name counts as a sweep.
    [[nodiscard]] std::string hold(scanner::Uid user, const std::string& home);
    [[nodiscard]] std::string hold(scanner::Uid user) { return hold(user, home_to_lock(user)); }

    // Not empty: the lock of some user could not be had, and why; another sweep may be at work.
    [[nodiscard]] const std::string& complaint() const { return complaint_; }

    // Another sweep was in the way.
    [[nodiscard]] bool refused() const { return refused_; }

    // The process that had the last lock that was waited for; 0: not known.
    [[nodiscard]] scanner::Pid holder() const { return holder_; }

   private:
    enum class Take { held, not_to_be_had, refused };

    [[nodiscard]] Take take(scanner::Uid user, const std::string& path, Fd& home);
    [[nodiscard]] Take wait_for(scanner::Uid user, const Fd& home);
    [[nodiscard]] Take not_to_be_had(const std::string& why);
    [[nodiscard]] std::string describe_holder() const;
    [[nodiscard]] bool holds_the_same(const Fd& home) const;
    void say_that_it_waits();

    const Interrupt& interrupt_;
    std::chrono::steady_clock::time_point last_moment_;
    int terminal_;
    std::map<scanner::Uid, Fd> shared_;
    std::map<scanner::Uid, Fd> held_;  // closed: it cannot be had
    std::string complaint_;
    scanner::Pid holder_ = 0;
    bool refused_ = false;
};

// The folders where other locks of the user who runs this are looked for. Whatever XDG_STATE_HOME
// says, the first is in the home of the password file; where nothing can be made or found there,
// the lock is beside the history. Root's is /var/lib/orphan-reaper.
[[nodiscard]] std::vector<std::string> lock_folders();

}  // namespace reaper::agent
