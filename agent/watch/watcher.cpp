#include "agent/watch/watcher.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "agent/reading/bounded_reader.hpp"
#include "agent/system/text_file.hpp"
#include "agent/watch/log.hpp"
#include "policy/match/match.hpp"
#include "policy/match/member.hpp"
#include "policy/text/escape.hpp"
#include "policy/update/obstacles.hpp"
#include "scanner/access_guard.hpp"

namespace reaper::agent {

using policy::Judgement;
using scanner::Pid;
using std::chrono::milliseconds;

namespace {

// A helper that has just executed is looked at when it has had the time to become what it is.
constexpr std::chrono::seconds kSettled{1};
constexpr std::chrono::hours kLongestGap{1};
constexpr std::size_t kCensusEnd = 256 * 1024;  // holds more than one line
constexpr milliseconds kTick{20};               // ages are counted in ticks of 10 ms

// The other half is for looks and for the lines to sweeps at work, and some are for everything
// else.
std::size_t most_handles() {
    constexpr rlim_t kOthers = 32;
    struct rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur <= kOthers) return 0;
    return (limit.rlim_cur - kOthers) / 2;
}

milliseconds min_age_of(const policy::Rules& rules, const policy::Settings& settings,
                        const Judgement& judgement) {
    if (settings.min_age) return *settings.min_age;
    const auto rule =
        std::ranges::find(rules.families, judgement.family, &policy::FamilyRule::name);
    return rule == rules.families.end() ? milliseconds(0) : rule->start_up;
}

}  // namespace

Watcher::Watcher(const scanner::ProcessTable& table, const WatchOptions& options, Setup setup,
                 bool by_handles, std::function<void()> release)
    : table_(table),
      options_(options),
      by_handles_(by_handles),
      sweeps_(table, options, [this, release = std::move(release)] {
          hosts_.clear();
          counted_.clear();
          release();
      }) {
    if (!options.census.empty()) census_.resume(read_end_of_file(options.census, kCensusEnd));
    use(std::move(setup));
}

void Watcher::use(Setup setup) {
    observer_.reset();
    const bool others = setup_ && !(setup_->rules == setup.rules);
    setup_ = std::make_unique<const Setup>(std::move(setup));
    if (others && sweeps_.at_work()) sweeps_.restart();
    executables_ = policy::executables_of(setup_->rules);
    observer_.emplace(table_, setup_->rules, setup_->uid);
    look_within({});
}

// Handles first the members whose host has exited. What that host started since the last look is
// found by one more look.
void Watcher::advance() {
    const std::set<Pid> hostless = hosts_.take_hostless();
    if (!hostless.empty()) look_within(kSettled);
    if (!counted_.take_hostless().empty()) look_within({});
    sweeps_.enqueue_after_host_exit(hostless);
    std::set<Pid> finished = sweeps_.take_finished();
    begin_sweeps();
    if (!finished.empty()) look_within({});
    finished_.merge(finished);
    if (Clock::now() < std::min(next_look_, next_count_)) return;
    look();
    begin_sweeps();
}

Watcher::Clock::time_point Watcher::next() const {
    return std::min({next_look_, next_count_, sweeps_.next()});
}

void Watcher::add_to(std::vector<pollfd>& descriptors) const {
    hosts_.add_to(descriptors);
    counted_.add_to(descriptors);
    sweeps_.add_to(descriptors);
}

void Watcher::take_hint(const scanner::ProcEvent& event) {
    if (event.kind == scanner::ProcEventKind::exited && hosts_.has_no_handle(event.pid))
        look_within({});
    if (event.kind != scanner::ProcEventKind::executed) return;
    if (!scanner::runs_one_of(table_, event.pid, executables_)) return;
    const auto is_member = read_bounded<bool>(
        [&] {
            return scanner::read_program(table_, event.pid)
                .map([&](const scanner::ProcessRow& row) {
                    return row.command_line.ok() && policy::match(setup_->rules, row).has_value();
                });
        },
        table_.descriptors());
    if (is_member && *is_member) look_within(kSettled);
}

bool Watcher::is_in_trouble() const {
    return hosts_.unwatched() > 0 || denied_ > 0 || !trouble_.empty();
}

std::string Watcher::status() const {
    std::string text = fmt::format("watching {} host{} of {} helper{}", hosts_.watched(),
                                   hosts_.watched() == 1 ? "" : "s", census_.members(),
                                   census_.members() == 1 ? "" : "s");
    if (hosts_.unwatched() > 0)
        text += fmt::format("; {} more without a handle, left to the looks ({})",
                            hosts_.unwatched(), policy::escape(hosts_.complaint()));
    if (denied_ > 0)
        text += fmt::format("; {} process{} could not be read", denied_, denied_ == 1 ? "" : "es");
    if (!trouble_.empty())
        text += fmt::format("; the last look failed: {}", policy::escape(trouble_));
    if (sweeps_.at_work()) text += "; a sweep is at work";
    return text;
}

// When no copy could be made, the next look finds the processes again.
void Watcher::begin_sweeps() {
    const auto begun = sweeps_.begin(*setup_);
    if (!begun) log_problem(policy::escape(describe(begun.error())));
}

void Watcher::look() {
    next_look_ = Clock::time_point::max();
    // The history can be long; a sweep reads it before it ends anything.
    const auto judged = look_and_judge(*observer_, *setup_, no_handles());
    trouble_ = judged ? std::string() : describe(judged.error());
    if (judged) {
        if (by_handles_) watch_hosts(*judged);
        if (by_handles_ && !options_.census.empty()) watch_counted(*judged);
        enqueue_leaks(*judged);
        look_when_old_enough(*judged);
        denied_ = judged->look.facts.count.denied;
        count(*judged);
    }
    if (Clock::now() >= next_count_) next_count_ = Clock::now() + options_.interval;
}

// A host that exited since the look began makes its members hostless at once.
void Watcher::watch_hosts(const Judged& judged) {
    hosts_.update(table_, hosts_of(judged.look.facts, judged.look.rules), most_handles());
    sweeps_.enqueue_after_host_exit(hosts_.take_hostless());
}

void Watcher::enqueue_leaks(const Judged& judged) {
    std::set<Pid> leaked;
    for (const Judgement& judgement : judged.judgements) {
        if (judgement.action == policy::Action::reap && may_try(judgement))
            leaked.insert(judgement.identity.pid);
    }
    std::erase_if(attempts_, [&](const auto& attempt) {
        return find_judgement(judged, attempt.first) == nullptr;
    });
    finished_.clear();
    sweeps_.enqueue(with_descendants(judged.look.facts, std::move(leaked)));
}

// As hosts of themselves; with what handles are left.
void Watcher::watch_counted(const Judged& judged) {
    std::vector<WatchedHost> counted;
    for (const Judgement& judgement : judged.judgements) {
        const auto* facts = find_facts(judged, judgement.identity.pid);
        if (facts == nullptr || judgement.verdict == policy::Verdict::zombie)
            continue;  // a zombie would end each time
        counted.push_back({facts->row.pid, facts->row.start_ticks, {facts->row.pid}});
    }
    counted_.update(table_, counted, most_handles() - std::min(most_handles(), hosts_.watched()));
}

// What a sweep could not end is tried again, but ever less often: what was in the way may pass.
bool Watcher::may_try(const Judgement& judgement) {
    const Pid pid = judgement.identity.pid;
    const auto known = attempts_.find(pid);
    const bool tried = known != attempts_.end() && known->second.identity == judgement.identity;
    if (finished_.contains(pid)) {
        const milliseconds gap =
            tried ? std::min<milliseconds>(known->second.gap * 2, kLongestGap) : options_.interval;
        attempts_.insert_or_assign(pid, Attempt{judgement.identity, Clock::now() + gap, gap});
        return false;
    }
    return !tried || (!options_.dry_run && Clock::now() >= known->second.again);
}

// One look at the right moment.
void Watcher::look_when_old_enough(const Judged& judged) {
    for (const Judgement& judgement : judged.judgements) {
        if (!policy::is_young_orphan(judgement)) continue;
        const auto* facts = find_facts(judged, judgement.identity.pid);
        const milliseconds min_age = min_age_of(judged.look.rules, setup_->settings, judgement);
        look_within(std::max(min_age - policy::age_of(facts->row, judged.look.facts.machine),
                             milliseconds(0)) +
                    kTick);
    }
}

void Watcher::count(const Judged& judged) {
    const bool changed = census_.update(census_of(judged));
    if (options_.census.empty() || (!changed && Clock::now() < next_count_)) return;
    const std::string line = census_.line(judged.look.facts.machine.now_epoch);
    const auto written = read_bounded<void>([&]() -> Result<void> {
        const bool may = scanner::may_read(::geteuid(), options_.census);
        return may ? append_to_file(options_.census, line) : unanswered(options_.census);
    });
    if (!written) log_problem(policy::escape(describe(written.error())));
}

}  // namespace reaper::agent
