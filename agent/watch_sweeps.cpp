#include "agent/watch_sweeps.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "agent/lock_file.hpp"
#include "agent/process_control.hpp"
#include "agent/report_lines.hpp"
#include "agent/sweep.hpp"
#include "agent/watch_voice.hpp"
#include "policy/escape.hpp"

namespace reaper::agent {

namespace {

using policy::escape;
using scanner::Pid;

// More would only make each of them slower; what is wanted meanwhile is for the next one, together.
constexpr std::size_t kMostAtOnce = 8;

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
              Fd lock) {
    const Interrupt interrupt;
    SweepLocks locks(interrupt, options.lock_wait);
    if (lock) locks.share_own(std::move(lock));
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
    const bool abandoned = report->interrupted && std::ranges::any_of(report->processes, is_left);
    return static_cast<int>(abandoned ? ExitStatus::interrupted : ExitStatus::clean);
}

}  // namespace

void WatchSweeps::want(const std::set<Pid>& pids) {
    for (const Pid pid : pids) {
        const auto has_it = [pid](const Running& sweep) { return sweep.pids.contains(pid); };
        if (std::ranges::none_of(running_, has_it)) wanted_.insert(pid);
    }
}

// The lock is taken by a copy, not here: this must not wait for another sweep. What one copy has locked, all of them have.
Result<void> WatchSweeps::begin(const Setup& setup) {
    if (wanted_.empty() || running_.size() >= kMostAtOnce) return {};
    if (!lock_ && !options_.dry_run) {
        if (auto file = open_lock_file(lock_folders(), kSweepLock)) lock_ = std::move(*file);
    }
    auto copy = branch([&] {
        let_go_();
        return sweep_for(procfs_, options_, setup, wanted_, std::move(lock_));
    });
    if (!copy) return tl::unexpected(copy.error());
    running_.push_back({std::move(*copy), std::exchange(wanted_, {})});
    return {};
}

void WatchSweeps::add_to(std::vector<pollfd>& descriptors) const {
    for (const Running& sweep : running_) descriptors.push_back({sweep.copy.handle().raw(), POLLIN, 0});
}

std::set<Pid> WatchSweeps::take_finished() {
    std::set<Pid> pids;
    std::erase_if(running_, [&](Running& sweep) {
        if (!sweep.copy.handle().exited()) return false;
        std::ignore = sweep.copy.wait();
        pids.merge(sweep.pids);
        return true;
    });
    if (running_.empty()) lock_.reset();  // and with it the lock, of which nobody has a copy any more
    return pids;
}

bool WatchSweeps::stop() {
    bool abandoned = false;
    const auto control = make_process_control();
    for (const Running& sweep : running_) std::ignore = control->send(sweep.copy.handle(), Signal::terminate);
    for (const Running& sweep : running_)
        abandoned = sweep.copy.wait() == static_cast<int>(ExitStatus::interrupted) || abandoned;
    running_.clear();
    lock_.reset();
    return abandoned;
}

}  // namespace reaper::agent
