#include "agent/watch_sweeps.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <tuple>

#include <fmt/format.h>

#include "agent/process_control.hpp"
#include "agent/report_lines.hpp"
#include "agent/sweep.hpp"
#include "agent/sweep_lock.hpp"
#include "agent/watch_voice.hpp"
#include "policy/escape.hpp"

namespace reaper::agent {

namespace {

using policy::escape;
using scanner::Pid;

// More that look would only make each of them slower; what is wanted meanwhile is for the next one, together. Those that wait for a grace
// period to pass cost nothing but memory.
constexpr std::ptrdiff_t kMostLooking = 8;
constexpr std::size_t kMost = 256;
constexpr std::chrono::seconds kLook{1};

// Where hosts die all the time, others would never get the locks: after a turn the sweeps at work end first. Not while one is in a grace
// period, which may take minutes: nobody else would be told meanwhile.
constexpr std::chrono::seconds kTurn{10};
constexpr std::chrono::milliseconds kPause{300};  // others try ten times a second

bool is_as_it_should_be(OutcomeResult result) {
    return result == OutcomeResult::ended_on_term || result == OutcomeResult::ended_on_kill ||
           result == OutcomeResult::already_gone || result == OutcomeResult::changed ||
           result == OutcomeResult::would_reap;
}

void tell_what_became_of(const Report& report, const std::set<Pid>& whom, const Options& options) {
    for (const ReportedProcess& process : report.processes) {
        if (!process.outcome || !whom.contains(process.facts.row.pid)) continue;
        if (process.outcome->result == OutcomeResult::already_gone && !options.verbose) continue;
        const std::string line = fmt::format("pid {} ({}, {}) {}: {}: {}", process.facts.row.pid, kind_text(process),
                                             shown_home(report, process), to_string(process.judgement.verdict),
                                             why(process), outcome_line(process));
        if (is_as_it_should_be(process.outcome->result))
            tell_news(options, line);
        else
            tell(line);
    }
    for (const std::string& remark : report.remarks) tell(remark);
}

// In the copy.
int sweep_for(const scanner::Procfs& procfs, const Options& options, const Setup& setup, const std::set<Pid>& pids,
              std::map<scanner::Uid, OpenLocks> shared) {
    const Interrupt interrupt(std::nullopt, false);  // HUP is for the watch, which lets this begin anew by other rules
    SweepLocks locks(interrupt, options.lock_wait);
    for (auto& [user, open] : shared) locks.share(user, std::move(open));
    auto report = Sweep(procfs, options, setup, interrupt, locks, pids).run();
    if (!report) {
        tell(escape(describe(report.error())));
        return static_cast<int>(ExitStatus::incomplete);
    }
    tell_what_became_of(*report, pids, options);
    const auto is_left = [&](const ReportedProcess& process) {
        return pids.contains(process.facts.row.pid) && process.outcome &&
               process.outcome->result == OutcomeResult::refused;
    };
    const bool left = std::ranges::any_of(report->processes, is_left);
    if (left && report->interrupted) return static_cast<int>(ExitStatus::interrupted);
    return static_cast<int>(left && locks.refused() ? ExitStatus::not_ended : ExitStatus::clean);
}

}  // namespace

void WatchSweeps::want(const std::set<Pid>& pids) {
    for (const Pid pid : pids) {
        const auto has_it = [pid](const Running& sweep) { return sweep.pids.contains(pid); };
        if (std::ranges::none_of(running_, has_it)) wanted_.insert(pid);
    }
}

void WatchSweeps::want_bereaved(const std::set<Pid>& pids) {
    want(pids);
    std::ranges::set_difference(pids, wanted_, std::inserter(wanted_anew_, wanted_anew_.end()));
}

// Locks are taken by a copy, not here: this must not wait for another sweep. What one copy has locked, all of them have.
void WatchSweeps::open_locks() {
    std::set<scanner::Uid> users{::geteuid()};
    for (const Pid pid : wanted_) {
        if (const auto row = scanner::read_row(procfs_, pid)) users.insert(row->uid);
    }
    for (const scanner::Uid user : users) {
        if (!locks_.contains(user)) locks_.emplace(user, open_sweep_locks(user, lock_place(user)));
    }
}

bool WatchSweeps::has_room(Clock::time_point now) const {
    const auto looking =
        std::ranges::count_if(running_, [now](const Running& sweep) { return now < sweep.looks_until; });
    return looking < kMostLooking && running_.size() < kMost;
}

bool WatchSweeps::is_turn_over(Clock::time_point now) const {
    const bool all_look =
        std::ranges::all_of(running_, [now](const Running& sweep) { return now < sweep.looks_until; });
    return !running_.empty() && all_look && !locks_.empty() && now - turn_began_ > kTurn;
}

Result<void> WatchSweeps::begin(const Setup& setup) {
    const auto now = Clock::now();
    if (wanted_.empty() || now < pause_ends_ || is_turn_over(now) || !has_room(now)) return {};
    if (running_.empty()) turn_began_ = now;
    if (!options_.dry_run) open_locks();
    auto copy = branch([&] {
        let_go_();
        return sweep_for(procfs_, options_, setup, wanted_, std::move(locks_));
    });
    if (!copy) return tl::unexpected(copy.error());
    running_.push_back({std::move(*copy), std::exchange(wanted_, {}), now + options_.settle + kLook});
    return {};
}

// The end of a copy is seen by its handle.
WatchSweeps::Clock::time_point WatchSweeps::next() const {
    const auto now = Clock::now();
    auto next = Clock::time_point::max();
    if (wanted_.empty()) return next;
    if (now < pause_ends_) next = pause_ends_;
    for (const Running& sweep : running_) {
        if (now < sweep.looks_until) next = std::min(next, sweep.looks_until);
    }
    return next;
}

void WatchSweeps::add_to(std::vector<pollfd>& descriptors) const {
    for (const Running& sweep : running_) descriptors.push_back({sweep.copy.handle().raw(), POLLIN, 0});
}

std::set<Pid> WatchSweeps::take_finished() {
    std::set<Pid> pids;
    const bool others_wait = is_turn_over(Clock::now());
    std::erase_if(running_, [&](Running& sweep) {
        if (!sweep.copy.handle().exited()) return false;
        const bool locked_out = sweep.copy.wait() == static_cast<int>(ExitStatus::not_ended);
        for (const Pid pid : sweep.pids) {
            if (wanted_anew_.erase(pid) > 0)
                wanted_.insert(pid);
            else if (!locked_out)
                pids.insert(pid);
        }
        return true;
    });
    if (!running_.empty()) return pids;
    locks_.clear();  // and with them the locks, of which nobody has a copy any more
    if (others_wait) pause_ends_ = Clock::now() + kPause;
    return pids;
}

bool WatchSweeps::stop() {
    bool abandoned = false;
    const auto control = make_process_control();
    for (const Running& sweep : running_) std::ignore = control->send(sweep.copy.handle(), Signal::terminate);
    for (const Running& sweep : running_)
        abandoned = sweep.copy.wait() == static_cast<int>(ExitStatus::interrupted) || abandoned;
    running_.clear();
    locks_.clear();
    return abandoned;
}

void WatchSweeps::begin_anew() {
    for (const Running& sweep : running_) wanted_.insert(sweep.pids.begin(), sweep.pids.end());
    wanted_anew_.clear();
    std::ignore = stop();
}

}  // namespace reaper::agent
