// Before an update: ends what leaked, removes stale pid files, and tells what is still in the way.
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "agent/commands/commands.hpp"
#include "agent/commands/packet_members.hpp"
#include "agent/commands/platform.hpp"
#include "agent/pid_files/places.hpp"
#include "agent/preflight/blockers.hpp"
#include "agent/preflight/earlier_rounds.hpp"
#include "agent/preflight/install_paths.hpp"
#include "agent/preflight/run_command.hpp"
#include "agent/preflight/visibility.hpp"
#include "agent/reading/bounded_reader.hpp"
#include "agent/reaping/descriptors.hpp"
#include "agent/report/text/progress.hpp"
#include "agent/sweep/sweep.hpp"
#include "policy/match/parentage.hpp"
#include "policy/text/duration.hpp"
#include "policy/text/escape.hpp"
#include "policy/update/obstacles.hpp"
#include "scanner/access_guard.hpp"
#include "scanner/exited.hpp"
#include "scanner/inspector.hpp"

namespace reaper::agent {

namespace {

using policy::Obstacle;
using scanner::Pid;

constexpr std::chrono::seconds kPause{1};  // before what may pass by itself is looked at again
constexpr int kRoundsOfReturn = 3;         // in which a helper came back: then no more ends

// What one copy of this program has read besides the processes.
struct Reading {
    PidFilePlaces places;
    scanner::InstallPaths install_paths;
    scanner::Occupancy occupancy;
    std::vector<scanner::Claim> markers;
    std::set<scanner::Uid> users;  // with a Hermes home
};

std::set<scanner::Uid> users_with_homes(const PidFilePlaces& places) {
    const auto is_there = [](const std::string& path) {
        return scanner::may_read(::geteuid(), path) && ::access(path.c_str(), F_OK) == 0;
    };
    std::set<scanner::Uid> users;
    for (const scanner::ClaimPlaces& of_user : places.places) {
        if (std::ranges::any_of(of_user.hermes_homes, is_there)) users.insert(of_user.uid);
    }
    return users;
}

Result<Reading> read_in_place(const scanner::ProcessTable& table, const Look& look,
                              const Setup& setup) {
    Reading reading;
    reading.places = pid_file_places(look.facts, setup);
    reading.install_paths = find_install_paths(reading.places, look.facts, look.rules);
    auto occupancy = scanner::find_occupants(table, reading.install_paths);
    if (!occupancy) return tl::unexpected(occupancy.error());
    reading.occupancy = std::move(*occupancy);
    reading.markers = read_update_markers(table, reading.places);
    reading.users = users_with_homes(reading.places);
    return reading;
}

bool is_interrupt(const Error& error) {
    return error.code == std::errc::interrupted;
}

}  // namespace

template <>
struct MembersOf<Reading> {
    static auto tie(Is<Reading> auto& it) {
        auto& [places, install_paths, occupancy, markers, users] = it;
        return std::tie(places, install_paths, occupancy, markers, users);
    }
};

namespace {

class Preflight {
   public:
    Preflight(const scanner::ProcessTable& table, const SweepOptions& options,
              const PreflightOptions& own, const Setup& setup)
        : table_(table),
          options_(options),
          own_(own),
          setup_(setup),
          observer_(table, setup.rules, setup.uid) {}

    Result<int> run(const ShowReport& show) {
        auto report = get_ready();
        if (!report) return tl::unexpected(report.error());
        const int status = show(*std::move(report));
        const bool ready = status == static_cast<int>(ExitStatus::clean);
        if (!ready || options_.dry_run || own_.when_ready.empty()) return status;
        BoundedReader::of_program().collect();
        return run_in_foreground(own_.when_ready, interrupt_.mask_before());
    }

   private:
    Result<Report> get_ready() {
        for (;;) {
            auto report = round();
            if (!report) return report;
            const auto wait = time_to_wait(*report);
            if (wait == std::chrono::seconds(0) || pause(wait)) return finish(*std::move(report));
            earlier_.add(*std::move(report));
        }
    }

    [[nodiscard]] std::chrono::seconds time_to_wait(const Report& report) const {
        if (options_.dry_run) return std::chrono::seconds(0);
        if (rounds_of_return_ == kRoundsOfReturn) return std::chrono::seconds(0);
        const bool again = std::ranges::any_of(report.processes, was_respawned);
        return again || std::ranges::any_of(report.obstacles, &Obstacle::passes)
                   ? kPause
                   : std::chrono::seconds(0);
    }

    Result<Report> round() {
        if (!options_.dry_run) in_the_way_ = locks_.hold(::geteuid());
        own_holder_ = locks_.holder();
        auto report = Sweep(table_, options_, setup_, interrupt_, locks_).run();
        if (!report) return report;
        report->command = "preflight";
        cut_off_ = interrupt_.came();
        if (std::ranges::any_of(report->processes, was_respawned)) ++rounds_of_return_;
        auto done = clean(*report).and_then([&] { return look_again(*report); });
        if (!done && !is_interrupt(done.error())) return tl::unexpected(done.error());
        if (!done) report->complete = false;  // what was done is told all the same
        return report;
    }

    Result<void> clean(Report& report) const {
        auto cleaned = run_pid_files(table_, options_, {.clean = true}, setup_);
        if (!cleaned) return tl::unexpected(cleaned.error());
        report.cleaning = true;
        report.files = std::move(cleaned->files);
        add_files(options_, report);
        report.complete = report.complete && cleaned->complete;
        std::ranges::move(cleaned->remarks, std::back_inserter(report.remarks));
        return {};
    }

    Result<void> look_again(Report& report) {
        auto look = observer_.look(no_handles());
        if (!look) return tl::unexpected(look.error());
        observer_.ask_managers(look->facts);
        std::vector<std::string> unanswered;
        const auto reading =
            read_bounded<Reading>([&] { return read_in_place(table_, *look, setup_); },
                                  table_.descriptors(), &unanswered);
        if (!reading) return tl::unexpected(reading.error());
        const auto& [places, install_paths, occupancy, markers, users] = *reading;
        std::ranges::move(remarks_on_home(setup_), std::back_inserter(report.remarks));
        add_unanswered(report, unanswered);
        std::vector<Pid> leaked = add_leaks(report);
        if (cut_off_) add_returns(report, look->facts);
        add_sweeps(report, look->facts, users);
        std::ranges::move(
            policy::find_obstacles(look->facts, look->rules, occupancy, markers, leaked),
            std::back_inserter(report.obstacles));
        add_visibility_remarks(report,
                               {options_, setup_.rules, look->facts, install_paths, occupancy});
        return {};
    }

    static void add_unanswered(Report& report, const std::vector<std::string>& unanswered) {
        for (const std::string& what : unanswered) {
            std::string text = unanswered_text(policy::escape(what, 200));
            if (std::ranges::find(report.remarks, text) == report.remarks.end())
                report.remarks.push_back(std::move(text));
            report.complete = false;
        }
    }

    std::vector<Pid> add_leaks(Report& report) const {
        std::vector<Pid> pids;
        for (const ReportedProcess& process : report.processes) {
            if (policy::is_young_orphan(process.judgement) || is_leak(process))
                pids.push_back(process.facts.row.pid);
            if (!is_left(process, options_.dry_run)) continue;
            Obstacle& obstacle = report.obstacles.emplace_back(leak_in_the_way(report, process));
            if (was_respawned(process) && rounds_of_return_ == kRoundsOfReturn)
                obstacle.detail +=
                    fmt::format(": started again after each of {} ends", kRoundsOfReturn);
        }
        return pids;
    }

    // It was not seen whether their hosts start them again.
    void add_returns(Report& report, const scanner::Facts& facts) const {
        const auto may_return = [&](const ReportedProcess& process) {
            const scanner::ProcessRow* host = process.judgement.host == 0
                                                  ? nullptr
                                                  : policy::find_row(facts, process.judgement.host);
            return is_ended(process) && host != nullptr && !scanner::has_exited(*host);
        };
        for (const ReportedProcess& process : report.processes) {
            if (may_return(process)) report.obstacles.push_back(return_in_the_way(process, false));
        }
        for (const ReportedProcess& process : earlier_.respawned()) {
            if (may_return(process)) report.obstacles.push_back(return_in_the_way(process, true));
        }
    }

    // Keeps other sweeps away until the update is done: those of this user, and for root those of
    // users in the scope. Adds an obstacle for each sweep that runs already.
    void add_sweeps(Report& report, const scanner::Facts& facts,
                    const std::set<scanner::Uid>& with_homes) {
        if (options_.dry_run) return;
        if (!in_the_way_.empty())
            report.obstacles.push_back(
                sweep_in_the_way(scanner::user_name(::geteuid()), in_the_way_, own_holder_));
        for (const scanner::Uid user : others_in_scope(facts, with_homes)) {
            const std::string other = locks_.hold(user);
            if (!other.empty())
                report.obstacles.push_back(
                    sweep_in_the_way(scanner::user_name(user), other, locks_.holder()));
        }
        const std::string& no_lock = locks_.complaint();  // the sweep may have said so already
        if (!no_lock.empty() && std::ranges::find(report.remarks, no_lock) == report.remarks.end())
            report.remarks.push_back(no_lock);
    }

    static std::set<scanner::Uid> others_in_scope(const scanner::Facts& facts,
                                                  std::set<scanner::Uid> users) {
        if (::geteuid() != 0) return {};
        for (const scanner::ProcessFacts& process : facts.candidates) users.insert(process.row.uid);
        users.erase(0);
        return users;
    }

    // True: the time is over, or an interrupt came.
    [[nodiscard]] bool pause(std::chrono::seconds time) {
        if (const int terminal = terminal_to_draw_on(options_.quiet); terminal >= 0 && !told_) {
            constexpr std::string_view kText =
                "waiting for what is too young to be judged, or may be started again\n";
            std::ignore = ::write(terminal, kText.data(), kText.size());
            told_ = true;
        }
        return interrupt_.wait(time);
    }

    Report finish(Report report) {
        earlier_.move_into(report);
        report.has_command = !own_.when_ready.empty();
        report.interrupted = interrupt_.came() && !interrupt_.timed_out();
        if (!interrupt_.timed_out()) return report;
        report.remarks.push_back(
            fmt::format("the time is over: --timeout {}", policy::duration_text(own_.timeout)));
        return report;
    }

    const scanner::ProcessTable& table_;
    const SweepOptions& options_;
    const PreflightOptions& own_;
    const Setup& setup_;
    Observer observer_;
    Interrupt interrupt_{own_.timeout};
    SweepLocks locks_{interrupt_, options_.lock_wait, terminal_to_draw_on(options_.quiet)};
    std::string in_the_way_;  // not empty: another sweep
    Pid own_holder_ = 0;      // its pid, if known
    EarlierRounds earlier_;
    int rounds_of_return_ = 0;
    bool cut_off_ = false;  // this round was, before all were seen not to come again
    bool told_ = false;
};

}  // namespace

Result<int> run_preflight(const SweepOptions& options, const PreflightOptions& own,
                          const Setup& setup, const ShowReport& show) {
    raise_descriptor_limit();
    const auto table = scanner::ProcessTable::open();
    if (!table) return tl::unexpected(table.error());
    return Preflight(*table, options, own, setup).run(show);
}

}  // namespace reaper::agent
