// The sweeps of a watch: copies of this program, side by side, each for its own members, so that one that waits for a grace period to
// pass delays no other, and the watch itself never sleeps in one.
#pragma once

#include <poll.h>

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "agent/child.hpp"
#include "agent/options.hpp"
#include "agent/setup.hpp"
#include "agent/sweep_lock.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

class WatchSweeps {
   public:
    using Clock = std::chrono::steady_clock;

    // All outlive this. `let_go`: what a copy does not need, before it begins.
    WatchSweeps(const scanner::Procfs& procfs, const Options& options, std::function<void()> let_go)
        : procfs_(procfs), options_(options), let_go_(std::move(let_go)) {}

    // Those of `pids` that no sweep is at work on are for the next one to judge, and to end if they are leaked.
    void want(const std::set<scanner::Pid>& pids);
    // They have lost a host this moment: those that a sweep is at work on, which may have judged them before, are for another one after it.
    void want_bereaved(const std::set<scanner::Pid>& pids);
    // Begins it, when anything is wanted, not too many are looking, and it is not the turn of other sweeps. Fails when no copy can be made;
    // then it is still wanted.
    [[nodiscard]] Result<void> begin(const Setup& setup);
    // When to try again to begin what is wanted, even if nothing happens.
    [[nodiscard]] Clock::time_point next() const;

    // For poll(2): readable once a sweep has ended.
    void add_to(std::vector<pollfd>& descriptors) const;
    // Whom those that have ended were for, once; not those who are wanted anew, nor whom another sweep kept one from: the next look finds them.
    [[nodiscard]] std::set<scanner::Pid> take_finished();

    [[nodiscard]] bool at_work() const { return !running_.empty(); }
    // Stops all of them: nobody is signalled any more, what was done is in the history. True: a grace period was cut short.
    [[nodiscard]] bool stop();
    // The same, and all whom they were at work on are wanted again: the rules are others.
    void begin_anew();

   private:
    struct Running {
        Child copy;
        std::set<scanner::Pid> pids;
        Clock::time_point looks_until;  // and then only waits, for a grace period to pass
    };

    [[nodiscard]] bool has_room(Clock::time_point now) const;
    [[nodiscard]] bool is_turn_over(Clock::time_point now) const;
    void open_locks();

    const scanner::Procfs& procfs_;
    const Options& options_;
    std::function<void()> let_go_;
    std::set<scanner::Pid> wanted_;
    std::set<scanner::Pid> wanted_anew_;  // when the sweep that is at work on them has ended
    std::vector<Running> running_;
    std::map<scanner::Uid, OpenLocks> locks_;  // open, and shared with the copies, while there are any
    Clock::time_point turn_began_;             // with the first of those copies
    Clock::time_point pause_ends_;             // until when others may take the locks
};

}  // namespace reaper::agent
