#include "agent/watcher.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "agent/text_file.hpp"
#include "agent/watch_voice.hpp"
#include "policy/escape.hpp"
#include "policy/match.hpp"
#include "policy/member.hpp"
#include "policy/obstacles.hpp"

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

// The other half is for looks and for the lines to sweeps at work, and some are for everything else.
std::size_t most_handles() {
    constexpr rlim_t kOthers = 32;
    struct rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur <= kOthers) return 0;
    return (limit.rlim_cur - kOthers) / 2;
}

milliseconds min_age_of(const policy::Rules& rules, const policy::Settings& settings, const Judgement& judgement) {
    if (settings.min_age) return *settings.min_age;
    const auto rule = std::ranges::find(rules.families, judgement.family, &policy::FamilyRule::name);
    return rule == rules.families.end() ? milliseconds(0) : rule->start_up;
}

}  // namespace

Watcher::Watcher(const scanner::Procfs& procfs, const Options& options, Setup setup, bool by_handles,
                 std::function<void()> let_go)
    : procfs_(procfs),
      options_(options),
      by_handles_(by_handles),
      sweeps_(procfs, options, [this, let_go = std::move(let_go)] {
          hosts_.clear();
          counted_.clear();
          let_go();
      }) {
    if (!options.census.empty()) census_.resume(read_end_of_file(options.census, kCensusEnd));
    use(std::move(setup));
}

void Watcher::use(Setup setup) {
    lookout_.reset();
    const bool others = setup_ && !(setup_->rules == setup.rules);
    setup_ = std::make_unique<const Setup>(std::move(setup));
    if (others && sweeps_.at_work()) sweeps_.begin_anew();
    lookout_.emplace(procfs_, setup_->rules, setup_->uid);
    look_within({});
}

// First of all those who have lost their host this moment. Whom that host has started since the last look, one more look finds.
void Watcher::advance() {
    const std::set<Pid> bereaved = hosts_.take_bereaved();
    if (!bereaved.empty()) look_within(kSettled);
    if (!counted_.take_bereaved().empty()) look_within({});
    sweeps_.want_bereaved(bereaved);
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
    if (event.kind == scanner::ProcEventKind::exited && hosts_.has_no_handle(event.pid)) look_within({});
    if (event.kind != scanner::ProcEventKind::executed) return;
    const auto row = scanner::read_program(procfs_, event.pid);
    if (row && row->command_line.ok() && policy::match(setup_->rules, *row)) look_within(kSettled);
}

bool Watcher::is_in_trouble() const {
    return hosts_.unwatched() > 0 || denied_ > 0 || !trouble_.empty();
}

std::string Watcher::status() const {
    std::string text =
        fmt::format("watching {} host{} of {} helper{}", hosts_.watched(), hosts_.watched() == 1 ? "" : "s",
                    census_.members(), census_.members() == 1 ? "" : "s");
    if (hosts_.unwatched() > 0)
        text += fmt::format("; {} more without a handle, left to the looks ({})", hosts_.unwatched(),
                            policy::escape(hosts_.complaint()));
    if (denied_ > 0) text += fmt::format("; {} process{} could not be read", denied_, denied_ == 1 ? "" : "es");
    if (!trouble_.empty()) text += fmt::format("; the last look failed: {}", policy::escape(trouble_));
    if (sweeps_.at_work()) text += "; a sweep is at work";
    return text;
}

// Whom no copy could be made for is found again by the next look.
void Watcher::begin_sweeps() {
    const auto begun = sweeps_.begin(*setup_);
    if (!begun) tell(policy::escape(describe(begun.error())));
}

void Watcher::look() {
    next_look_ = Clock::time_point::max();
    // The history can be long; a sweep reads it before it ends anybody.
    const auto judged = look_and_judge_anew(*lookout_, *setup_, nobody());
    trouble_ = judged ? std::string() : describe(judged.error());
    if (judged) {
        if (by_handles_) watch_hosts(*judged);
        if (by_handles_ && !options_.census.empty()) watch_counted(*judged);
        want_leaks(*judged);
        wait_for_the_young(*judged);
        denied_ = judged->look.facts.count.denied;
        count(*judged);
    }
    if (Clock::now() >= next_count_) next_count_ = Clock::now() + options_.interval;
}

// Who died since the look began is bereaved at once.
void Watcher::watch_hosts(const Judged& judged) {
    hosts_.update(procfs_, hosts_of(judged.look.facts, judged.look.rules), most_handles());
    sweeps_.want_bereaved(hosts_.take_bereaved());
}

void Watcher::want_leaks(const Judged& judged) {
    std::set<Pid> leaked;
    for (const Judgement& judgement : judged.judgements) {
        if (judgement.action == policy::Action::reap && may_try(judgement)) leaked.insert(judgement.identity.pid);
    }
    std::erase_if(attempts_, [&](const auto& attempt) { return find_judgement(judged, attempt.first) == nullptr; });
    finished_.clear();
    sweeps_.want(with_descendants(judged.look.facts, std::move(leaked)));
}

// As hosts of themselves; with what handles are left.
void Watcher::watch_counted(const Judged& judged) {
    std::vector<WatchedHost> counted;
    for (const Judgement& judgement : judged.judgements) {
        const auto* facts = find_facts(judged, judgement.identity.pid);
        if (facts == nullptr || judgement.verdict == policy::Verdict::zombie) continue;  // a zombie would end each time
        counted.push_back({facts->row.pid, facts->row.start_ticks, {facts->row.pid}});
    }
    counted_.update(procfs_, counted, most_handles() - std::min(most_handles(), hosts_.watched()));
}

// Whom a sweep could not end is tried again, but ever less often: what was in the way may pass. What is only reported is told once.
bool Watcher::may_try(const Judgement& judgement) {
    const Pid pid = judgement.identity.pid;
    const auto known = attempts_.find(pid);
    const bool tried = known != attempts_.end() && known->second.identity == judgement.identity;
    if (finished_.contains(pid)) {
        const milliseconds gap = tried ? std::min<milliseconds>(known->second.gap * 2, kLongestGap) : options_.interval;
        attempts_.insert_or_assign(pid, Attempt{judgement.identity, Clock::now() + gap, gap});
        return false;
    }
    return !tried || (!options_.dry_run && Clock::now() >= known->second.again);
}

// One look at the right moment.
void Watcher::wait_for_the_young(const Judged& judged) {
    for (const Judgement& judgement : judged.judgements) {
        if (!policy::is_growing_up(judgement)) continue;
        const auto* facts = find_facts(judged, judgement.identity.pid);
        const milliseconds min_age = min_age_of(judged.look.rules, setup_->settings, judgement);
        look_within(std::max(min_age - policy::age_of(*facts, judged.look.facts.machine), milliseconds(0)) + kTick);
    }
}

void Watcher::count(const Judged& judged) {
    const bool changed = census_.update(census_of(judged));
    if (options_.census.empty() || (!changed && Clock::now() < next_count_)) return;
    const auto written = append_to_file(options_.census, census_.line(judged.look.facts.machine.now_epoch));
    if (!written) tell(policy::escape(describe(written.error())));
}

}  // namespace reaper::agent
