// One sweep at a time: whoever is about to end processes of a user holds that user's lock. The lock is the user's home folder itself, by
// flock(2): it is there before anybody has swept, needs no right to write, and is the same for a timer, a shell, a service and root.
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

// What can be locked for a user.
struct LockPlace {
    std::string home;         // as the password file has it; empty: it has none
    std::string folder = {};  // for a file of that purpose where the home cannot be opened; empty: there is none
};

// Of any user; the folder is the one of the history, and only for the user who runs this.
[[nodiscard]] LockPlace lock_place(scanner::Uid user);

// Open, and not locked. Fails where there is nothing to lock, or where what is there belongs to neither that user nor root.
[[nodiscard]] Result<Fd> open_sweep_lock(scanner::Uid user, const LockPlace& place);

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

    // Empty: the lock of that user is held, or there is or can be none (see complaint()). Otherwise who has it. A home is for everybody to
    // lock who may read it: whoever is neither that user nor root is no sweep of that user's processes, and only complained about.
    [[nodiscard]] std::string hold(scanner::Uid user, const LockPlace& place);
    [[nodiscard]] std::string hold(scanner::Uid user) { return hold(user, lock_place(user)); }

    // Not empty: a lock could not be had, and why; then another sweep may be at work.
    [[nodiscard]] const std::string& complaint() const { return complaint_; }

    // Who had the last lock that could not be had; 0: not known.
    [[nodiscard]] scanner::Pid holder() const { return holder_; }

   private:
    [[nodiscard]] Result<Fd> open(scanner::Uid user, const LockPlace& place);
    [[nodiscard]] std::string wait_for(scanner::Uid user, Fd file);
    [[nodiscard]] std::string describe_holder();
    [[nodiscard]] bool is_stranger(scanner::Uid user) const;
    [[nodiscard]] bool holds_the_same(const Fd& file) const;
    [[nodiscard]] bool drop_deleted(scanner::Uid user);
    void find_holder(const Fd& file);
    void tell();
    [[nodiscard]] std::string complain(const std::string& why);

    const Interrupt& interrupt_;
    std::chrono::steady_clock::time_point last_moment_;
    int terminal_;
    std::map<scanner::Uid, Fd> shared_;
    std::map<scanner::Uid, Fd> held_;
    std::string complaint_;
    scanner::Pid holder_ = 0;
};

// Where other locks of the user who runs this are looked for. Whatever XDG_STATE_HOME says it is in the home that the password file tells;
// only where nothing can be made or found there, beside the history. Root's is /var/lib/orphan-reaper.
[[nodiscard]] std::vector<std::string> lock_folders();

}  // namespace reaper::agent
