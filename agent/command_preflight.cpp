// Before an update: ends what leaked, removes stale pid files, and tells what is still in the way.
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "agent/commands.hpp"
#include "agent/foreground.hpp"
#include "agent/here.hpp"
#include "agent/in_the_way.hpp"
#include "agent/last_resort.hpp"
#include "agent/live_line.hpp"
#include "agent/pid_file_places.hpp"
#include "agent/premises.hpp"
#include "agent/surroundings.hpp"
#include "agent/sweep.hpp"
#include "policy/duration.hpp"
#include "policy/obstacles.hpp"
#include "policy/parentage.hpp"
#include "scanner/inspector.hpp"

namespace reaper::agent {

namespace {

using policy::Obstacle;
using scanner::Pid;

constexpr std::chrono::seconds kPause{1};      // before what may pass by itself is looked at again
constexpr std::chrono::seconds kPatience{10};  // after the time is over
constexpr int kRoundsOfReturn = 3;             // in each of which somebody came again: no more ends

// Who came in its place is for the next round.
bool came_again(const ReportedProcess& process) {
    return process.outcome && process.outcome->respawned_as;
}

// What earlier rounds did, and the last one has not seen any more.
template <class Item, class Key>
void add_missing(std::vector<Item>& items, std::vector<Item> earlier, Key key) {
    for (Item& item : earlier) {
        if (std::ranges::find(items, key(item), key) == items.end()) items.push_back(std::move(item));
    }
    std::ranges::sort(items, {}, key);
}

bool is_there(const std::string& path) {
    return ::access(path.c_str(), F_OK) == 0;
}

class Preflight {
   public:
    Preflight(const scanner::Procfs& procfs, const Options& options, const Setup& setup)
        : procfs_(procfs), options_(options), setup_(setup), lookout_(procfs, setup.rules, setup.uid) {}

    Result<int> run(const ShowReport& show) {
        last_resort_.emplace(interrupt_, kPatience);
        auto report = get_ready();
        last_resort_.reset();
        if (!report) return tl::unexpected(report.error());
        const int status = show(*std::move(report));
        const bool ready = status == static_cast<int>(ExitStatus::clean);
        if (!ready || options_.dry_run || options_.program.empty()) return status;
        return run_in_foreground(options_.program, interrupt_.mask_before());
    }

   private:
    Result<Report> get_ready() {
        for (;;) {
            auto report = round();
            if (!report) return report;
            const auto wait = time_to_wait(*report);
            if (wait == std::chrono::seconds(0) || pause(wait)) return finish(*std::move(report));
            remember(*std::move(report));
        }
    }

    [[nodiscard]] std::chrono::seconds time_to_wait(const Report& report) const {
        if (options_.dry_run) return std::chrono::seconds(0);
        if (rounds_of_return_ == kRoundsOfReturn) return std::chrono::seconds(0);
        const bool again = std::ranges::any_of(report.processes, came_again);
        return again || std::ranges::any_of(report.obstacles, &Obstacle::passes) ? kPause : std::chrono::seconds(0);
    }

    Result<Report> round() {
        if (!options_.dry_run) in_the_way_ = locks_.hold(::geteuid());
        own_holder_ = locks_.holder();
        auto report = Sweep(procfs_, options_, setup_, interrupt_, locks_).run();
        if (!report) return report;
        report->command = "preflight";
        cut_off_ = interrupt_.came();
        if (std::ranges::any_of(report->processes, came_again)) ++rounds_of_return_;
        if (auto cleaned = clean(*report); !cleaned) return tl::unexpected(cleaned.error());
        if (auto found = look_again(*report); !found) return tl::unexpected(found.error());
        return report;
    }

    Result<void> clean(Report& report) const {
        Options options = options_;
        options.clean = true;
        auto cleaned = run_pid_files(procfs_, options, setup_);
        if (!cleaned) return tl::unexpected(cleaned.error());
        report.cleaning = true;
        report.files = std::move(cleaned->files);
        add_files(options_, report);
        report.complete = report.complete && cleaned->complete;
        std::ranges::move(cleaned->remarks, std::back_inserter(report.remarks));
        return {};
    }

    Result<void> look_again(Report& report) {
        const auto look = lookout_.look();
        if (!look) return tl::unexpected(look.error());
        const PidFilePlaces places = pid_file_places(look->facts, setup_);
        const scanner::Premises premises = find_premises(places, look->facts, look->rules);
        const auto occupancy = scanner::find_occupants(procfs_, premises);
        if (!occupancy) return tl::unexpected(occupancy.error());
        std::vector<Pid> leaked = add_leaks(report);
        if (cut_off_) add_returns(report, look->facts);
        add_sweeps(report, look->facts, places);
        const auto markers = read_update_markers(procfs_, places);
        std::ranges::move(policy::find_obstacles(look->facts, look->rules, *occupancy, markers, leaked),
                          std::back_inserter(report.obstacles));
        tell_surroundings(report, {options_, setup_.rules, look->facts, premises, *occupancy});
        return {};
    }

    std::vector<Pid> add_leaks(Report& report) const {
        std::vector<Pid> pids;
        for (const ReportedProcess& process : report.processes) {
            if (policy::is_growing_up(process.judgement) || is_leak(process)) pids.push_back(process.facts.row.pid);
            if (!is_left(process, options_.dry_run)) continue;
            Obstacle& obstacle = report.obstacles.emplace_back(leak_in_the_way(report, process));
            if (came_again(process) && rounds_of_return_ == kRoundsOfReturn)
                obstacle.detail += fmt::format(": started again after each of {} ends", kRoundsOfReturn);
        }
        return pids;
    }

    // Nobody has seen that whoever started them leaves it at that.
    void add_returns(Report& report, const scanner::Facts& facts) const {
        const auto may_return = [&](const ReportedProcess& process) {
            const scanner::ProcessRow* host =
                process.judgement.host == 0 ? nullptr : policy::find_row(facts, process.judgement.host);
            return is_ended(process) && host != nullptr && host->state != 'Z';
        };
        for (const ReportedProcess& process : report.processes) {
            if (may_return(process)) report.obstacles.push_back(return_in_the_way(process, false));
        }
        for (const ReportedProcess& process : came_again_) {
            if (may_return(process)) report.obstacles.push_back(return_in_the_way(process, true));
        }
    }

    // Until the update is done, no timer may interfere: neither one's own nor, for root, that of a user in the scope.
    void add_sweeps(Report& report, const scanner::Facts& facts, const PidFilePlaces& places) {
        if (options_.dry_run) return;
        if (!in_the_way_.empty())
            report.obstacles.push_back(sweep_in_the_way(scanner::user_name(::geteuid()), in_the_way_, own_holder_));
        for (const scanner::Uid user : others_in_scope(facts, places)) {
            const std::string other = locks_.hold(user);
            if (!other.empty())
                report.obstacles.push_back(sweep_in_the_way(scanner::user_name(user), other, locks_.holder()));
        }
        // Without one it is not known that nobody interferes.
        if (!locks_.complaint().empty() && !options_.program.empty())
            report.obstacles.push_back(sweep_in_the_way({}, locks_.complaint(), locks_.holder()));
    }

    static std::set<scanner::Uid> others_in_scope(const scanner::Facts& facts, const PidFilePlaces& places) {
        std::set<scanner::Uid> users;
        if (::geteuid() != 0) return users;
        for (const scanner::ProcessFacts& process : facts.candidates) users.insert(process.row.uid);
        for (const scanner::ClaimPlaces& of_user : places.places) {
            if (std::ranges::any_of(of_user.hermes_homes, is_there)) users.insert(of_user.uid);
        }
        users.erase(0);
        return users;
    }

    // True: the time is over, or an interrupt came.
    [[nodiscard]] bool pause(std::chrono::seconds time) {
        if (const int terminal = terminal_to_draw_on(options_.quiet); terminal >= 0 && !told_) {
            constexpr std::string_view kText = "waiting for what is too young to be judged, or may be started again\n";
            std::ignore = ::write(terminal, kText.data(), kText.size());
            told_ = true;
        }
        return interrupt_.wait(time);
    }

    void remember(Report report) {
        std::erase_if(report.processes, [](const ReportedProcess& process) { return !process.outcome; });
        for (ReportedProcess& process : report.processes) {
            if (!std::exchange(process.outcome->respawned_as, std::nullopt)) continue;
            came_again_.push_back(process);
        }
        std::erase_if(report.files, [](const ReportedFile& file) { return !is_removed(file); });
        add_missing(done_.processes, std::move(report.processes), [](const auto& one) { return one.facts.row.pid; });
        add_missing(done_.files, std::move(report.files), [](const auto& one) { return one.file.path; });
    }

    Report finish(Report report) {
        add_missing(report.processes, std::move(done_.processes), [](const auto& one) { return one.facts.row.pid; });
        add_missing(report.files, std::move(done_.files), [](const auto& one) { return one.file.path; });
        report.interrupted = interrupt_.came() && !interrupt_.timed_out();
        if (!interrupt_.timed_out()) return report;
        report.remarks.push_back(
            fmt::format("the time is over: --timeout {}", policy::duration_text(options_.timeout)));
        return report;
    }

    const scanner::Procfs& procfs_;
    const Options& options_;
    const Setup& setup_;
    Lookout lookout_;
    Interrupt interrupt_{options_.timeout};
    SweepLocks locks_{interrupt_, options_.lock_wait, terminal_to_draw_on(options_.quiet)};
    std::optional<LastResort> last_resort_;
    std::string in_the_way_;                   // not empty: another sweep
    Pid own_holder_ = 0;                       // its pid, if known
    Report done_;                              // by earlier rounds
    std::vector<ReportedProcess> came_again_;  // in earlier rounds
    int rounds_of_return_ = 0;
    bool cut_off_ = false;  // this round was, before all were seen not to come again
    bool told_ = false;
};

}  // namespace

Result<int> run_preflight(const Options& options, const Setup& setup, const ShowReport& show) {
    const auto procfs = scanner::Procfs::open();
    if (!procfs) return tl::unexpected(procfs.error());
    return Preflight(*procfs, options, setup).run(show);
}

}  // namespace reaper::agent
