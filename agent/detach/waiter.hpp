// The process that waits for hosts in place of their hooks, and sweeps when they have ended.
#pragma once

#include <poll.h>

#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/detach/request.hpp"
#include "agent/reaping/child.hpp"
#include "agent/system/interrupt.hpp"

namespace reaper::agent {

// A host that goes on, as after `/clear`, is waited for no longer than this.
inline constexpr std::chrono::seconds kLongestWait{60};

struct WaiterTimes {
    std::chrono::milliseconds settle{};         // from the end of a host to the sweep
    std::chrono::milliseconds at_most_every{};  // between the beginnings of two sweeps
    std::chrono::milliseconds longest = kLongestWait;
    // From a sweep to a second one, for what was too young; 0: there is none.
    std::chrono::milliseconds again{};
};

// Sweeps in a copy of this program, so that one sweep works while one request waits: what is asked
// for while a sweep is under way is followed by another sweep. Requests that wait at the same time
// share one. What they have left too young to be judged, a second sweep looks at.
class Waiter {
   public:
    using Clock = std::chrono::steady_clock;
    // Sweeps for the requests of these names, and returns the exit status. In a copy, if one can be
    // made.
    using Sweep = std::function<int(const std::string& from)>;

    // `place`: where requests come in; none where that is empty. All references outlive the waiter.
    Waiter(Fd place, WaiterTimes times, const Interrupt& interrupt, Sweep sweep)
        : place_(std::move(place)),
          times_(times),
          interrupt_(interrupt),
          sweep_(std::move(sweep)) {}

    void add(SweepRequest request);

    // Returns when all requests have been served, and the next sweep of others would not come too
    // soon. On an interrupt it begins nothing more, and ends a sweep that is under way in good
    // order.
    void run();

   private:
    struct Waiting {
        SweepRequest request;
        Clock::time_point last;  // moment to wait for its host
    };

    void take_requests();
    void take_ended_hosts();
    void take_finished_sweep();
    void sweep_if_due();
    void begin_sweep(const std::set<std::string>& names);
    void sleep() const;
    void stop();
    [[nodiscard]] bool is_over() const;
    [[nodiscard]] Clock::time_point may_begin() const;
    [[nodiscard]] Clock::time_point next() const;

    Fd place_;
    WaiterTimes times_;
    const Interrupt& interrupt_;
    Sweep sweep_;
    std::vector<Waiting> waiting_;
    std::set<std::string> names_;             // that the next sweep is for
    std::optional<Clock::time_point> due_;    // when it is to begin
    Clock::time_point due_at_last_;           // however many hosts still end
    std::optional<Clock::time_point> began_;  // the last sweep
    std::optional<Clock::time_point> again_;  // when the second one is to begin
    std::set<std::string> again_names_;       // that it is for
    std::optional<Child> sweeping_;
};

}  // namespace reaper::agent
