#include "agent/run_end.hpp"

#include <algorithm>
#include <iterator>
#include <system_error>
#include <tuple>
#include <utility>

#include "agent/run_pace.hpp"
#include "agent/setup.hpp"
#include "policy/match.hpp"

namespace reaper::agent {

namespace {

using scanner::Pid;
using scanner::PidHandle;
using std::chrono::milliseconds;
using Clock = RunEnd::Clock;

constexpr milliseconds kPause{10};       // between two looks, at least
constexpr milliseconds kLate{1000};      // what those have at least who come when the grace is over, or nearly so
constexpr milliseconds kSlice{1000};     // by how much grace is extended at a time for a busy database
constexpr milliseconds kBlink{50};       // how soon to look again for a lock that may be between two transactions
constexpr milliseconds kGivingUp{5000};  // how long nobody could be ended

// What a rule file says counts; one that is not to be trusted must not keep anybody alive.
policy::Rules rules_for(const Options& options) {
    auto setup = prepare(options);
    return setup ? std::move(setup->rules) : policy::built_in_rules();
}

bool is_want(const Error& error) {
    return error.code == std::errc::too_many_files_open || error.code == std::errc::too_many_files_open_in_system ||
           error.code == std::errc::not_enough_memory;
}

}  // namespace

RunEnd::RunEnd(RunEndParts parts, Clock::time_point began)
    : parts_(std::move(parts)),
      control_(make_descendant_control()),
      began_(began),
      cap_ends_(began),
      progress_(Clock::now()) {}

// None: it has ended, is nobody of ours, or could not be looked at.
std::optional<PidHandle> RunEnd::hold(Pid pid) {
    auto handle = PidHandle::open(pid);
    const auto ours = handle ? parts_.is_ours(pid) : Result<bool>(tl::unexpected(handle.error()));
    if (!ours && is_want(ours.error())) could_not_look_ = true;
    if (!ours || !*ours || handle->exited()) return std::nullopt;
    return std::move(*handle);
}

std::optional<scanner::Activity> RunEnd::activity_of(Pid pid) {
    const auto handle = hold(pid);
    if (!handle) return std::nullopt;
    const auto sample = scanner::read_activity(parts_.procfs, *handle);
    return sample ? std::optional(*sample) : std::nullopt;
}

// Whoever may not be signalled has his time all the same: the cgroup ends him after it.
void RunEnd::tell_one(Pid pid, const Seen& seen) {
    const auto handle = hold(pid);
    if (!handle) return;
    std::ignore = control_->send(*handle, Signal::terminate);
    std::ignore = control_->send(*handle, Signal::resume);  // who is stopped does not see TERM
    told_[pid].start_ticks = seen.stat.start_ticks;
}

// Not by TERM, which would be passed on as one too many. A stopped one would end nobody.
void RunEnd::care_for_run(Pid pid, const Crowd& crowd) {
    const bool without_host = is_run_without_host(crowd, pid);
    const bool stopped = crowd.at(pid).stat.state == 'T';
    if (!without_host && !stopped) return;
    const auto handle = hold(pid);
    if (handle) std::ignore = control_->send(*handle, without_host ? Signal::kill : Signal::resume);
}

// The table may have missed who got another parent just then: each is asked for by its pid.
void RunEnd::forget_ended(const Crowd& crowd) {
    const auto forgotten = std::erase_if(told_, [&crowd](const Entry& entry) {
        const auto seen = crowd.find(entry.first);
        return seen == crowd.end() || seen->second.stat.start_ticks != entry.second.start_ticks;
    });
    if (forgotten > 0) progress_ = Clock::now();
}

void RunEnd::tell(const std::vector<Pid>& members) {
    could_not_look_ = another_run_ends_ = false;
    std::vector<Pid> pids = members;
    std::ranges::transform(told_, std::back_inserter(pids), &Entry::first);
    const Crowd crowd = see(parts_.procfs, pids);
    forget_ended(crowd);
    for (const auto& [pid, seen] : crowd) {
        if (told_.contains(pid)) continue;
        const Care care = care_of(crowd, pid);
        if (care == Care::ours) tell_one(pid, seen);
        if (care == Care::of_another_run && !seen.run) another_run_ends_ = true;
        if (seen.run) care_for_run(pid, crowd);
    }
}

// Those who came late have what is left of the time, but not nothing.
void RunEnd::grant_grace(Pid pid, Told& told) {
    if (!rules_) rules_ = rules_for(parts_.options);
    policy::FamilyRule family = policy::default_family("");
    const auto row = scanner::read_program(parts_.procfs, pid);
    const auto match = row ? policy::match(*rules_, *row) : std::nullopt;
    if (match) family = *match->rule;
    const milliseconds grace = parts_.options.grace.value_or(family.grace);
    const milliseconds cap = std::max(grace, parts_.options.grace_cap.value_or(family.grace_cap));
    told.has_grace = true;
    told.deadline = std::max(began_ + grace, Clock::now() + std::min(grace, kLate));
    told.cap = began_ + cap;
    grace_ends_ = std::max(grace_ends_.value_or(began_), began_ + grace);
    cap_ends_ = std::max(cap_ends_, told.cap);
    if (const auto sample = activity_of(pid)) told.patience.begin(*sample);
}

void RunEnd::end_overdue(Pid pid, Told& told) {
    const auto now = Clock::now();
    if (told.killed || now < told.deadline) return;
    const auto handle = hold(pid);
    if (!handle) return;
    const auto sample = scanner::read_activity(parts_.procfs, *handle);
    const auto more = sample && now < told.cap ? told.patience.more(*sample, kSlice, kBlink) : std::nullopt;
    told.extended = more.has_value();
    if (more) {
        told.deadline = std::min(now + *more, told.cap);
        return;
    }
    std::ignore = control_->send(*handle, Signal::kill);
    told.killed = true;
}

Clock::time_point RunEnd::grace_ends() const {
    return grace_ends_.value_or(began_ + parts_.options.grace.value_or(policy::default_family("").grace));
}

// Those who come when the grace is over put off the end of all only while they write a database: others may come for ever.
bool RunEnd::has_time(const Entry& entry) {
    const auto& [pid, told] = entry;
    const auto now = Clock::now();
    if (told.killed || now >= told.deadline) return false;
    if (told.extended || now < grace_ends() + kLate) return true;
    const auto sample = activity_of(pid);
    return sample && sample->database_write_lock && now < cap_ends_;
}

bool RunEnd::all_had_their_time() {
    if (could_not_look_ || another_run_ends_ || Clock::now() < grace_ends()) return false;
    return std::ranges::none_of(told_, [this](const Entry& entry) { return has_time(entry); });
}

bool RunEnd::finish() {
    // All have been told; how long they may take can be read up now.
    for (auto& [pid, told] : told_) {
        if (!told.has_grace) grant_grace(pid, told);
    }
    for (auto& [pid, told] : told_) end_overdue(pid, told);
    if (!all_had_their_time()) {
        progress_ = Clock::now();
        return true;
    }
    if (parts_.cgroup) std::ignore = kill_all_in_cgroup(parts_.cgroup->folder());
    return Clock::now() - progress_ <= kGivingUp;
}

Clock::time_point RunEnd::next() const {
    const auto now = Clock::now();
    auto next = now + pause_after(began_);
    for (const auto& [pid, told] : told_) {
        if (!told.killed) next = std::min(next, told.deadline);
    }
    if (grace_ends() > now) next = std::min(next, grace_ends());
    return std::max(next, now + kPause);  // whoever is overdue could not be looked at
}

}  // namespace reaper::agent
