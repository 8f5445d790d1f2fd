// One sweep at a time: whoever is about to end processes of a user holds that user's lock, a file in the user's home.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "agent/interrupt.hpp"
#include "scanner/fd.hpp"
#include "scanner/identity.hpp"
#include "scanner/result.hpp"

namespace reaper::agent {

inline constexpr const char* kSweepLock = "sweep.lock";

// The locks of one sweep, until it ends. However many sweeps there are, none waits for ever and no two wait for each other: only
// root takes more than one lock, and root's own comes first.
class SweepLocks {
   public:
    // Waits for all of them together no longer than `patience`, nor beyond an interrupt. Whoever watches `terminal` is told that it
    // waits; -1: nobody does.
    SweepLocks(const Interrupt& interrupt, std::chrono::milliseconds patience, int terminal = -1)
        : interrupt_(interrupt), last_moment_(std::chrono::steady_clock::now() + patience), terminal_(terminal) {}

    // Several sweeps of one program can share a user's lock: `file` is open already, in whoever started this sweep and in its copies.
    void share(scanner::Uid user, Fd file) { shared_.insert_or_assign(user, std::move(file)); }

    // The lock of the user who runs this, in the first of `folders` where there can be one; a folder is made if it is not there. Empty:
    // it is held. Otherwise who has it.
    [[nodiscard]] std::string hold_own(const std::vector<std::string>& folders);

    // The lock of another user, whose `home` this is, for root. Empty: it is held, or that user never swept. Otherwise who has it.
    [[nodiscard]] std::string hold_of(scanner::Uid user, const std::string& home);

    // Not empty: no lock could be had at all, and why; then another sweep may be at work.
    [[nodiscard]] const std::string& complaint() const { return complaint_; }

    // Who had the last lock that could not be had; 0: not known.
    [[nodiscard]] scanner::Pid holder() const { return holder_; }

   private:
    [[nodiscard]] Fd take_shared(scanner::Uid user);
    [[nodiscard]] std::string hold(scanner::Uid user, Fd file);
    [[nodiscard]] std::string describe_holder(const Fd& file);
    [[nodiscard]] bool drop_deleted(scanner::Uid user);
    void tell(const Fd& file);
    [[nodiscard]] std::string cannot(const Error& error);

    const Interrupt& interrupt_;
    std::chrono::steady_clock::time_point last_moment_;
    int terminal_;
    std::map<scanner::Uid, Fd> shared_;
    std::map<scanner::Uid, Fd> held_;
    std::string complaint_;
    scanner::Pid holder_ = 0;
};

// The lock of a user, open and not locked; where there is none yet, or it is not to be trusted: nothing.
[[nodiscard]] Fd open_sweep_lock(scanner::Uid user, const std::string& home);

// Where the lock of the user who runs this is looked for. Whatever XDG_STATE_HOME says it is in the home that the password file tells, so that
// a timer, a crontab line, a shell and root find the same one; only where nothing can be made or found there, beside the history. Root's is
// /var/lib/orphan-reaper.
[[nodiscard]] std::vector<std::string> lock_folders();

}  // namespace reaper::agent
