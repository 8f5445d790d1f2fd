// The sweeps of a watch. Each is a copy of this program with members of its own, so that one that
// waits for a grace period delays no other, and the watch itself never waits for a sweep.
#pragma once

#include <poll.h>

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "agent/cli/options.hpp"
#include "agent/observe/setup.hpp"
#include "agent/reaping/child.hpp"
#include "agent/sweep/lock.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

class WatchSweeps {
   public:
    using Clock = std::chrono::steady_clock;

    // All references outlive this. `release`: closes what a copy does not need, before it begins.
    WatchSweeps(const scanner::ProcessTable& table, const SweepOptions& options,
                std::function<void()> release)
        : table_(table), options_(options), release_(std::move(release)) {}

    // Queues `pids` for the next sweep, except those that a running sweep has. The sweep judges
    // them, and ends those that are leaked.
    void enqueue(const std::set<scanner::Pid>& pids);
    // Queues `pids` whose host has just exited. Those that a running sweep has, which may have
    // judged them before that, are queued again when it has ended.
    void enqueue_after_host_exit(const std::set<scanner::Pid>& pids);
    // Starts a sweep when pids are queued, fewer than kMostLooking sweeps look, and it is not the
    // turn of other programs' sweeps. Fails when no copy can be made; the pids stay queued then.
    [[nodiscard]] Result<void> begin(const Setup& setup);
    // When to call begin() again for what is queued, even if nothing happens.
    [[nodiscard]] Clock::time_point next() const;

    // Adds the handles for poll(2): each is readable once its sweep has ended.
    void add_to(std::vector<pollfd>& descriptors) const;
    // Returns the pids of sweeps that have ended, once. Leaves out pids that were queued again, and
    // those of a sweep that found the locks taken: the next look finds them.
    [[nodiscard]] std::set<scanner::Pid> take_finished();

    [[nodiscard]] bool at_work() const { return !running_.empty(); }
    // Stops all sweeps: they signal nothing more, and what they did is in the history. True: a
    // grace period was cut short.
    [[nodiscard]] bool stop();
    // Stops all sweeps and queues their pids again, for other rules.
    void restart();

   private:
    struct Running {
        Child copy;
        std::set<scanner::Pid> pids;
        Clock::time_point looks_until;  // and then only waits, for a grace period to pass
    };

    [[nodiscard]] bool has_room(Clock::time_point now) const;
    [[nodiscard]] bool is_turn_over(Clock::time_point now) const;
    void open_locks();

    const scanner::ProcessTable& table_;
    const SweepOptions& options_;
    std::function<void()> release_;
    std::set<scanner::Pid> queued_;
    std::set<scanner::Pid> queued_again_;  // queued once their running sweep has ended
    std::vector<Running> running_;
    std::map<scanner::Uid, Fd> locks_;  // homes, shared with the copies while there are any
    Clock::time_point turn_began_;      // with the first of those copies
    Clock::time_point pause_ends_;      // until when others may take the locks
};

}  // namespace reaper::agent
