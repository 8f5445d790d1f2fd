#include "agent/watch/sweep_pool.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <tuple>

#include "agent/history/file.hpp"
#include "agent/history/runs.hpp"
#include "agent/reading/bounded_reader.hpp"
#include "agent/reaping/process_control.hpp"
#include "agent/report/build.hpp"
#include "agent/report/desktop.hpp"
#include "agent/report/text/process_line.hpp"
#include "agent/sweep/lock.hpp"
#include "agent/sweep/sweep.hpp"
#include "agent/watch/log.hpp"
#include "policy/text/escape.hpp"

namespace reaper::agent {

namespace {

using policy::escape;
using scanner::Pid;

// More sweeps that look at the same time would only slow each other down; what is queued meanwhile
// goes to the next one, together. Sweeps that wait for a grace period cost nothing but memory.
constexpr std::ptrdiff_t kMostLooking = 8;
constexpr std::size_t kMost = 256;
constexpr std::chrono::seconds kLook{1};

// When hosts exit all the time, sweeps of other programs would never get the locks. So after a turn
// no new sweep starts until the running ones have ended, except when one of them is in a grace
// period: that may take minutes, and TERM for other helpers would wait as long.
constexpr std::chrono::seconds kTurn{10};
constexpr std::chrono::milliseconds kPause{300};  // others try ten times a second

void log_outcomes(const Report& report, const std::set<Pid>& pids, const OutputOptions& options) {
    std::vector<JournalEntry> entries;
    for (const ReportedProcess& process : report.processes) {
        if (!process.outcome || !pids.contains(process.facts.row.pid)) continue;
        if (process.outcome->result == OutcomeResult::already_gone && !options.verbose) continue;
        if (stderr_is_journal()) {
            if (options.quiet && is_as_it_should_be(*process.outcome)) continue;
            entries.push_back(journal_entry(report, process));
            continue;
        }
        const std::string line = action_line(report, process);
        if (is_as_it_should_be(*process.outcome))
            log_info(options, line);
        else
            log_problem(line);
    }
    if (!entries.empty()) send_to_journal(entries);
    for (const std::string& remark : report.remarks) log_problem(remark);
}

// Also what a watch ends is counted, and told.
void note(Report& report, const SweepOptions& options,
          std::chrono::steady_clock::time_point began) {
    if (options.dry_run) return;
    report.command = "watch";
    report.elapsed_ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
    conclude(report);
    if (!options.no_history) std::ignore = note_run(history_folder(), run_of(report));
    if (options.notify) notify_desktop(report);
    BoundedReader::of_program().collect();
}

// In the copy.
int sweep_for(const scanner::ProcessTable& table, const SweepOptions& options, const Setup& setup,
              const std::set<Pid>& pids, std::map<scanner::Uid, Fd> shared) {
    const auto began = std::chrono::steady_clock::now();
    const Interrupt interrupt(
        std::nullopt, false);  // HUP is for the watch, which lets this begin anew by other rules
    SweepLocks locks(interrupt, options.lock_wait);
    for (auto& [user, home] : shared) locks.share(user, std::move(home));
    auto report = Sweep(table, options, setup, interrupt, locks, pids).run();
    BoundedReader::of_program().collect();
    if (!report) {
        log_problem(escape(describe(report.error())));
        return static_cast<int>(ExitStatus::incomplete);
    }
    log_outcomes(*report, pids, options);
    note(*report, options, began);
    const auto is_left = [&](const ReportedProcess& process) {
        return pids.contains(process.facts.row.pid) && process.outcome &&
               process.outcome->result == OutcomeResult::refused;
    };
    const bool left = std::ranges::any_of(report->processes, is_left);
    if (left && report->interrupted) return static_cast<int>(ExitStatus::interrupted);
    return static_cast<int>(left && locks.refused() ? ExitStatus::not_ended : ExitStatus::clean);
}

}  // namespace

void WatchSweeps::enqueue(const std::set<Pid>& pids) {
    for (const Pid pid : pids) {
        const auto has_it = [pid](const Running& sweep) { return sweep.pids.contains(pid); };
        if (std::ranges::none_of(running_, has_it)) queued_.insert(pid);
    }
}

void WatchSweeps::enqueue_after_host_exit(const std::set<Pid>& pids) {
    enqueue(pids);
    std::ranges::set_difference(pids, queued_, std::inserter(queued_again_, queued_again_.end()));
}

// The copy takes the locks, because the watch must not wait for another sweep. Copies share the
// open files, and so the locks.
void WatchSweeps::open_locks() {
    std::set<scanner::Uid> users{::geteuid()};
    for (const Pid pid : queued_) {
        if (const auto uids = scanner::read_uids(table_, pid)) users.insert(uids->effective);
    }
    for (const scanner::Uid user : users) {
        if (locks_.contains(user)) continue;
        auto home = open_home_to_lock(user, home_to_lock(user));
        locks_.emplace(user, home ? std::move(*home) : Fd());
    }
}

bool WatchSweeps::has_room(Clock::time_point now) const {
    const auto looking = std::ranges::count_if(
        running_, [now](const Running& sweep) { return now < sweep.looks_until; });
    return looking < kMostLooking && running_.size() < kMost;
}

bool WatchSweeps::is_turn_over(Clock::time_point now) const {
    const bool all_look = std::ranges::all_of(
        running_, [now](const Running& sweep) { return now < sweep.looks_until; });
    return !running_.empty() && all_look && !locks_.empty() && now - turn_began_ > kTurn;
}

Result<void> WatchSweeps::begin(const Setup& setup) {
    const auto now = Clock::now();
    if (queued_.empty() || now < pause_ends_ || is_turn_over(now) || !has_room(now)) return {};
    if (running_.empty()) turn_began_ = now;
    if (!options_.dry_run) open_locks();
    auto copy = branch([&] {
        release_();
        return sweep_for(table_, options_, setup, queued_, std::move(locks_));
    });
    if (!copy) return tl::unexpected(copy.error());
    running_.push_back(
        {std::move(*copy), std::exchange(queued_, {}), now + options_.settle + kLook});
    return {};
}

// The end of a copy needs no time here: its handle tells.
WatchSweeps::Clock::time_point WatchSweeps::next() const {
    const auto now = Clock::now();
    auto next = Clock::time_point::max();
    if (queued_.empty()) return next;
    if (now < pause_ends_) next = pause_ends_;
    for (const Running& sweep : running_) {
        if (now < sweep.looks_until) next = std::min(next, sweep.looks_until);
    }
    return next;
}

void WatchSweeps::add_to(std::vector<pollfd>& descriptors) const {
    for (const Running& sweep : running_)
        descriptors.push_back({sweep.copy.handle().raw(), POLLIN, 0});
}

std::set<Pid> WatchSweeps::take_finished() {
    std::set<Pid> pids;
    const bool others_wait = is_turn_over(Clock::now());
    std::erase_if(running_, [&](Running& sweep) {
        if (!sweep.copy.handle().exited()) return false;
        const bool locked_out = sweep.copy.wait() == static_cast<int>(ExitStatus::not_ended);
        for (const Pid pid : sweep.pids) {
            if (queued_again_.erase(pid) > 0)
                queued_.insert(pid);
            else if (!locked_out)
                pids.insert(pid);
        }
        return true;
    });
    if (!running_.empty()) return pids;
    locks_.clear();  // no copy is left, so this drops the locks
    if (others_wait) pause_ends_ = Clock::now() + kPause;
    return pids;
}

bool WatchSweeps::stop() {
    bool abandoned = false;
    const auto control = make_process_control();
    for (const Running& sweep : running_)
        std::ignore = control->send(sweep.copy.handle(), Signal::terminate);
    for (const Running& sweep : running_)
        abandoned = sweep.copy.wait() == static_cast<int>(ExitStatus::interrupted) || abandoned;
    running_.clear();
    locks_.clear();
    return abandoned;
}

void WatchSweeps::restart() {
    for (const Running& sweep : running_) queued_.insert(sweep.pids.begin(), sweep.pids.end());
    queued_again_.clear();
    std::ignore = stop();
}

}  // namespace reaper::agent
