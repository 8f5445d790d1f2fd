#include "agent/run/termination.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include "agent/observe/setup.hpp"
#include "agent/reaping/reaper.hpp"
#include "agent/run/programs.hpp"
#include "policy/match/match.hpp"

namespace reaper::agent {

namespace {

using scanner::Pid;
using scanner::PidHandle;
using std::chrono::milliseconds;
using Clock = RunEnd::Clock;

constexpr milliseconds kPause{10};  // between two looks, at least
constexpr milliseconds kLate{
    1000};  // the least time of those that come when the grace is over, or nearly so

// Signals the processes of a tree. One that the kernel does not let it signal has its grace all the
// same: the cgroup ends it after that.
class TreeControl final : public ProcessControl {
   public:
    Result<Delivery> admit(const PidHandle& target) override { return control_->admit(target); }
    Result<Delivery> send(const PidHandle& target, Signal signal) override {
        auto sent = control_->send(target, signal);
        if (!sent && sent.error().code != std::errc::no_such_process) return Delivery::sent;
        return sent;
    }

   private:
    std::unique_ptr<ProcessControl> control_ = make_descendant_control();
};

// What a rule file says counts; one that is not to be trusted must keep no process alive.
policy::Rules rules_for(const ScopeOptions& options) {
    auto setup = prepare(options);
    return setup ? std::move(setup->rules) : policy::built_in_rules();
}

// Has the longest times of all families: what could not be looked at may be of any.
policy::FamilyRule most_patient(const policy::Rules& rules) {
    policy::FamilyRule longest = policy::default_family("");
    for (const policy::FamilyRule& family : rules.families) {
        if (!family.enabled) continue;
        longest.grace = std::max(longest.grace, family.grace);
        longest.grace_cap = std::max(longest.grace_cap, family.grace_cap);
    }
    return longest;
}

// Looks often at first, and later each second: most that begin now do so soon after the others got
// TERM.
milliseconds pause_after(Clock::time_point began) {
    const auto passed = std::chrono::duration_cast<milliseconds>(Clock::now() - began);
    return std::clamp(passed / 4, kPause, milliseconds(1000));
}

}  // namespace

bool is_want(const Error& error) {
    return error.code == std::errc::too_many_files_open ||
           error.code == std::errc::too_many_files_open_in_system ||
           error.code == std::errc::not_enough_memory;
}

RunEnd::RunEnd(RunEndParts parts, Clock::time_point began)
    : parts_(std::move(parts)),
      control_(std::make_unique<TreeControl>()),
      reaper_parts_{*control_,
                    *this,
                    *this,
                    *this,
                    [this](const PidHandle& handle) { return activity_of(handle.pid()); },
                    -1,
                    [this](Pid pid) { return note_want(PidHandle::open(pid)); }},
      began_(began),
      cap_ends_(began),
      progress_(Clock::now()) {}

template <class T>
Result<T> RunEnd::note_want(Result<T> result) {
    if (!result && is_want(result.error())) could_not_look_ = true;
    return result;
}

Result<std::optional<std::string>> RunEnd::objection(const Target& target) {
    return note_want(parts_.is_ours(target.handle.pid())).map([](bool ours) {
        return ours ? std::nullopt : std::optional<std::string>("it is not of this run");
    });
}

Result<scanner::Activity> RunEnd::activity_of(Pid pid) {
    return reaper_parts_.open(pid).and_then(
        [this](const PidHandle& handle) { return scanner::read_activity(parts_.table, handle); });
}

ReaperTarget& RunEnd::add_member(Pid pid, const ProcessView& view) {
    Target target{{}, PidHandle::unopened(pid)};
    target.step.identity.start_ticks = view.stat.start_ticks;
    return members_.try_emplace(pid, std::move(target), reaper_parts_, times_).first->second;
}

// The first process of another `run` gets no TERM, which would be passed on as one too many.
void RunEnd::begin_member(Pid pid, const ProcessView& view) {
    ReaperTarget& member = add_member(pid, view);
    if (view.run)
        member.expire();
    else
        begin({&member});
    member.release();
    if (!member.terminating())
        members_.erase(pid);
    else if (!view.run)
        without_grace_.push_back(pid);
}

// Waits only for what got TERM: whatever keeps another process from being signalled may be the
// launcher above it.
void RunEnd::begin_launcher(Pid pid, const ProcessView& view, const std::vector<Pid>& below) {
    std::vector<Started> others;
    for (const Pid other : below) {
        if (const auto member = members_.find(other); member != members_.end())
            others.emplace_back(other, member->second.target().step.identity.start_ticks);
    }
    if (others.empty()) return begin_member(pid, view);
    add_member(pid, view).await([this, others = std::move(others)] {
        return Awaited{std::ranges::any_of(
            others, [this](const Started& other) { return is_waited_for(other); })};
    });
}

// One that may not be signalled could stay for ever.
bool RunEnd::is_waited_for(const Started& process) const {
    const auto member = members_.find(process.first);
    return member != members_.end() && member->second.running() && !member->second.doubted() &&
           member->second.target().step.identity.start_ticks == process.second;
}

// Looks only at those that have others below: nearly all have none, and TERM is not to wait.
Descendants RunEnd::find_new_launchers(const ProcessSet& processes) {
    std::vector<Pid> parents = find_parents(processes);
    std::erase_if(parents, [this](Pid pid) { return members_.contains(pid); });
    if (parents.empty()) return {};
    if (!launcher_rules_) launcher_rules_ = launcher_rules();
    auto rows = read_programs(parts_.table, parents).rows;
    const bool helper_is_seen =
        !parts_.helper ||
        std::ranges::find(rows, *parts_.helper, &scanner::ProcessRow::pid) != rows.end();
    if (!helper_is_seen)
        rows.push_back(started_row(*parts_.helper, parts_.started_as, *launcher_rules_));
    return find_launchers(processes, rows, *launcher_rules_);
}

// Ends the first process of another `run` whose host does not end: its guard ends what is below.
// Resumes one that is stopped, and would end nothing.
void RunEnd::end_or_resume_run(Pid pid, const ProcessSet& processes) {
    const ProcessView& view = processes.at(pid);
    if (is_run_without_host(processes, pid)) return begin_member(pid, view);
    if (view.stat.state != 'T') return;
    const auto handle = reaper_parts_.open(pid);
    const auto ours = handle ? parts_.is_ours(pid) : Result<bool>(false);
    if (ours && *ours) std::ignore = control_->send(*handle, Signal::resume);
}

// Each was looked at by its pid: the table may miss one that got another parent just then.
void RunEnd::forget_ended(const ProcessSet& processes) {
    const auto forgotten = std::erase_if(members_, [&processes](const Member& member) {
        const auto view = processes.find(member.first);
        return view == processes.end() ||
               view->second.stat.start_ticks != member.second.target().step.identity.start_ticks;
    });
    if (forgotten > 0) progress_ = Clock::now();
}

void RunEnd::begin_new(const std::vector<Pid>& members) {
    could_not_look_ = another_run_ends_ = false;
    std::vector<Pid> pids = members;
    std::ranges::transform(members_, std::back_inserter(pids), &Member::first);
    const ProcessSet processes = view_processes(parts_.table, pids);
    forget_ended(processes);
    const Descendants launchers = find_new_launchers(processes);
    std::vector<std::pair<std::size_t, Pid>> waiting;
    for (const Pid pid : pids) {
        const auto view = processes.find(pid);
        if (view == processes.end() || members_.contains(pid)) continue;
        const Ownership ownership = ownership_of(processes, pid);
        const auto launcher = launchers.find(pid);
        if (ownership == Ownership::ours && launcher != launchers.end())
            waiting.emplace_back(launcher->second.size(), pid);
        else if (ownership == Ownership::ours)
            begin_member(pid, view->second);
        if (ownership == Ownership::of_another_run && !view->second.run) another_run_ends_ = true;
        if (view->second.run) end_or_resume_run(pid, processes);
    }
    std::ranges::sort(waiting);  // each after those that are below it, which have fewer below
    for (const auto& [count, pid] : waiting)
        begin_launcher(pid, processes.at(pid), launchers.at(pid));
}

// Gives those that are new their grace. What they are is read now that all have got TERM.
void RunEnd::grant_graces() {
    if (without_grace_.empty()) return;
    const auto pids = std::exchange(without_grace_, {});
    if (!rules_) rules_ = rules_for(parts_.options);
    const auto [rows, all_seen] = read_programs(parts_.table, pids);
    const auto unread = all_seen ? policy::default_family("") : most_patient(*rules_);
    for (const Pid pid : pids) {
        const auto member = members_.find(pid);
        if (member == members_.end()) continue;
        const auto row = std::ranges::find(rows, pid, &scanner::ProcessRow::pid);
        const bool seen = row != rows.end();
        const auto match = seen ? policy::match(*rules_, *row) : std::nullopt;
        const auto other = seen ? policy::default_family("") : unread;
        grant_grace(member->second, match ? *match->rule : other);
    }
}

// Leaves those that came late the rest of the time, but not nothing.
void RunEnd::grant_grace(ReaperTarget& member, const policy::FamilyRule& family) {
    const milliseconds grace = parts_.options.grace.value_or(family.grace);
    const milliseconds cap = std::max(grace, parts_.options.grace_cap.value_or(family.grace_cap));
    member.set_grace(std::max(began_ + grace, Clock::now() + std::min(grace, kLate)), began_ + cap);
    member.sample_at_term();
    grace_ends_ = std::max(grace_ends_.value_or(began_), began_ + grace);
    cap_ends_ = std::max(cap_ends_, began_ + cap);
}

Clock::time_point RunEnd::grace_ends() const {
    return grace_ends_.value_or(began_ +
                                parts_.options.grace.value_or(policy::default_family("").grace));
}

// Those that come when the grace is over put off the end of all only while they write a database:
// others may come for ever.
bool RunEnd::has_time(const Member& member) {
    const auto& [pid, target] = member;
    const auto now = Clock::now();
    if (target.awaiting()) return true;
    if (!target.terminating() || now >= target.deadline()) return false;
    if (target.extended() || now < grace_ends() + kLate) return true;
    const auto sample = activity_of(pid);
    return sample && sample->database_write_lock && now < cap_ends_;
}

bool RunEnd::all_had_their_time() {
    if (could_not_look_ || another_run_ends_ || Clock::now() < grace_ends()) return false;
    return std::ranges::none_of(members_,
                                [this](const Member& member) { return has_time(member); });
}

// An objection may come from a parent that ended just then: it is asked about again at each look.
bool RunEnd::advance() {
    grant_graces();
    for (auto& [pid, member] : members_) {
        if (member.doubted()) member.expire();
        const bool waited = member.awaiting();
        member.advance(Clock::now());
        member.release();
        if (waited && member.terminating()) without_grace_.push_back(pid);
    }
    if (!all_had_their_time()) {
        progress_ = Clock::now();
        return true;
    }
    if (parts_.cgroup) std::ignore = kill_all_in_cgroup(parts_.cgroup->folder());
    return Clock::now() - progress_ <= times_.after_kill;
}

Clock::time_point RunEnd::next() const {
    const auto now = Clock::now();
    auto next = now + pause_after(began_);
    for (const auto& [pid, member] : members_) {
        if (member.running()) next = std::min(next, member.deadline());
    }
    if (grace_ends() > now) next = std::min(next, grace_ends());
    return std::max(next, now + kPause);  // one that is overdue could not be looked at
}

}  // namespace reaper::agent
