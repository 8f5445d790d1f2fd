// A watch between two of its sleeps: looks, knows who is whose host, and starts a sweep for whoever may be leaked.
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

#include "agent/census.hpp"
#include "agent/commands.hpp"
#include "agent/host_handles.hpp"
#include "agent/watch_sweeps.hpp"
#include "scanner/proc_event.hpp"

namespace reaper::agent {

class Watcher {
   public:
    using Clock = std::chrono::steady_clock;

    // All references outlive it. By handles: hosts are watched; otherwise all is left to the looks. `let_go`: what its sweeps, which
    // may outlive it, are not to hold.
    Watcher(const scanner::Procfs& procfs, const Options& options, Setup setup, bool by_handles,
            std::function<void()> let_go);

    // Does what is due, and begins what follows from it. Never sleeps.
    void advance();
    // When it is due again, even if nothing happens.
    [[nodiscard]] Clock::time_point next() const;
    // For poll(2): what is to be advanced for at once.
    void add_to(std::vector<pollfd>& descriptors) const;

    // What the proc connector told: it makes for a look, and decides nothing.
    void take_hint(const scanner::ProcEvent& event);
    // A look, soon.
    void look_within(Clock::duration time) { next_look_ = std::min(next_look_, Clock::now() + time); }

    // Other rules from now on, and a look with them.
    void use(Setup setup);
    [[nodiscard]] std::string census_text() const { return census_.text(); }
    // In one line: how many are watched, and what cannot be.
    [[nodiscard]] std::string status() const;
    // Something cannot be.
    [[nodiscard]] bool is_in_trouble() const;
    // Ends it and its sweeps. True: a grace period was cut short.
    [[nodiscard]] bool stop() { return sweeps_.stop(); }

   private:
    // The last sweep for a process that is still there as a leak.
    struct Attempt {
        scanner::Identity identity;
        Clock::time_point again;
        std::chrono::milliseconds gap{};
    };

    void begin_sweeps();
    void look();
    void watch_hosts(const Judged& judged);
    void watch_counted(const Judged& judged);
    void want_leaks(const Judged& judged);
    [[nodiscard]] bool may_try(const policy::Judgement& judgement);
    void wait_for_the_young(const Judged& judged);
    void count(const Judged& judged);

    const scanner::Procfs& procfs_;
    const Options& options_;
    std::unique_ptr<const Setup> setup_;
    std::optional<Lookout> lookout_;
    bool by_handles_;
    HostHandles hosts_;
    HostHandles counted_;  // the members that a census has counted: their end is a change
    WatchSweeps sweeps_;
    std::set<scanner::Pid> finished_;  // whom a sweep has been for, since the last look
    std::map<scanner::Pid, Attempt> attempts_;
    Census census_;
    Clock::time_point next_count_ = Clock::now();
    Clock::time_point next_look_ = Clock::now();
    std::size_t denied_ = 0;
    std::string trouble_;  // of the last look
};

}  // namespace reaper::agent
