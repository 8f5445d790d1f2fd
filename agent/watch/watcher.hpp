// One step of a watch between two sleeps: looks, finds the host of each helper, and starts a sweep
// for helpers that may be leaked.
#pragma once

#include <poll.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/observe/judged.hpp"
#include "agent/watch/census.hpp"
#include "agent/watch/host_handles.hpp"
#include "agent/watch/sweep_pool.hpp"
#include "scanner/parse/proc_event.hpp"

namespace reaper::agent {

// Ends nothing by itself: sweeps run in copies of this process, which it owns.
class Watcher {
   public:
    using Clock = std::chrono::steady_clock;

    // All references outlive it. `by_handles`: hosts are watched by handles; otherwise only looks
    // find what is leaked. `release`: closes, in the copy that sweeps, what a sweep must not keep
    // open.
    Watcher(const scanner::ProcessTable& table, const WatchOptions& options, Setup setup,
            bool by_handles, std::function<void()> release);

    // Does what is due, and starts the sweeps that follow from it. Never sleeps.
    void advance();
    // When to call advance() again, even if nothing happens.
    [[nodiscard]] Clock::time_point next() const;
    // Adds the descriptors for poll(2): advance() when one is readable.
    void add_to(std::vector<pollfd>& descriptors) const;

    // Takes an event of the proc connector. It can only bring a look forward, and decides nothing.
    void take_hint(const scanner::ProcEvent& event);
    // Looks within `time`.
    void look_within(Clock::duration time) {
        next_look_ = std::min(next_look_, Clock::now() + time);
    }

    // Uses other rules from now on, and looks with them.
    void use(Setup setup);
    // The counts of the last look, for people.
    [[nodiscard]] std::string census_text() const { return census_.text(); }
    // Says in one line how many hosts are watched, and what cannot be watched.
    [[nodiscard]] std::string status() const;
    // True if something cannot be watched.
    [[nodiscard]] bool is_in_trouble() const;
    // Stops all sweeps. True: a grace period was cut short.
    [[nodiscard]] bool stop() { return sweeps_.stop(); }

   private:
    // The last sweep for a process that was still a leak after it.
    struct Attempt {
        scanner::Identity identity;
        Clock::time_point again;
        std::chrono::milliseconds gap{};
    };

    void begin_sweeps();
    // A failed look leaves hosts and counts as they are, and says why in trouble_.
    void look();
    void watch_hosts(const Judged& judged);
    void watch_counted(const Judged& judged);
    void enqueue_leaks(const Judged& judged);
    [[nodiscard]] bool may_try(const policy::Judgement& judgement);
    void look_when_old_enough(const Judged& judged);
    void count(const Judged& judged);

    const scanner::ProcessTable& table_;
    const WatchOptions& options_;
    std::unique_ptr<const Setup> setup_;
    std::optional<Observer> observer_;
    std::vector<std::string> executables_;  // of families: another program's start is no hint
    bool by_handles_;
    HostHandles hosts_;
    HostHandles counted_;  // the members that a census has counted: their end is a change
    WatchSweeps sweeps_;
    std::set<scanner::Pid> finished_;  // pids of sweeps that ended since the last look
    std::map<scanner::Pid, Attempt> attempts_;
    Census census_;
    Clock::time_point next_count_ = Clock::now();
    Clock::time_point next_look_ = Clock::now();
    std::size_t denied_ = 0;
    std::string trouble_;  // of the last look
};

}  // namespace reaper::agent
