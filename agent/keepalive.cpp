#include "agent/keepalive.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "agent/redact.hpp"
#include "agent/respawn.hpp"
#include "policy/breaker.hpp"

namespace reaper::agent {

namespace {

using scanner::Keepalive;

constexpr std::size_t kLongestCommand = 90;  // so that there is room in a line for what it did

std::uint64_t ticks_of(std::chrono::seconds time, std::uint32_t ticks_per_second) {
    return static_cast<std::uint64_t>(time.count()) * ticks_per_second;
}

// Those of the hosts that somebody has now. Where the line before the end is lost, or has no clock, nothing is known.
std::vector<Deed> deeds_that_matter(const std::vector<Deed>& deeds, const std::vector<Event>& sightings) {
    std::vector<Deed> found;
    std::ranges::copy_if(deeds, std::back_inserter(found), [&](const Deed& deed) {
        return is_about_process(deed) && has_ended(deed) && deed.begin.kind == EventKind::signal &&
               deed.begin.ticks != 0 && std::ranges::any_of(sightings, [&](const Event& sighting) {
                   return have_one_host(deed.begin, sighting);
               });
    });
    return found;
}

// Everybody who ever started, as far as that is known, and replaces nobody yet.
class Starts {
   public:
    Starts(const std::vector<Deed>& deeds, const std::vector<Event>& sightings, std::uint64_t in_time)
        : starts_(sightings), in_time_(in_time) {
        for (const Deed& deed : deeds) starts_.push_back(deed.begin);
        std::ranges::sort(starts_, {}, [](const Event& start) { return std::pair(start.start_ticks, start.pid); });
        for (const Deed& deed : deeds) {
            if (deed.respawn) taken_.insert(deed.respawn->respawned_identity);
        }
    }

    // The first in the place of `deed`; null: nobody came in time.
    [[nodiscard]] const Event* take(const Deed& deed) {
        const auto found = std::ranges::find_if(starts_, [&](const Event& start) {
            return start.start_ticks >= deed.begin.ticks && start.start_ticks <= deed.end->ticks + in_time_ &&
                   comes_again(deed.begin, start) && !taken_.contains(start.identity);
        });
        if (found == starts_.end()) return nullptr;
        taken_.insert(found->identity);
        return &*found;
    }

   private:
    std::vector<Event> starts_;
    std::uint64_t in_time_;
    std::set<std::string> taken_;  // identities
};

Keepalive& keepalive_of(const Event& event, std::vector<Keepalive>& keepalives) {
    const auto found = std::ranges::find_if(keepalives, [&](const Keepalive& one) {
        return one.uid == event.uid && one.family == event.family && one.home == event.home && one.host == event.host &&
               one.host_start_ticks == event.host_start_ticks;
    });
    if (found != keepalives.end()) return *found;
    return keepalives.emplace_back(
        Keepalive{event.uid, event.family, event.home, event.host, event.host_start_ticks, {}, 0, 0});
}

// A host that needs its helper again now and then is no keepalive. One that is known as such has been left alone since.
void count(const Deed& deed, std::uint64_t day, std::vector<Keepalive>& keepalives) {
    Keepalive& keepalive = keepalive_of(deed.begin, keepalives);
    const bool stays = keepalive.host != 0 && keepalive.ends >= policy::kMostRespawns;
    if (!stays && deed.end->ticks > keepalive.last_ticks + day) keepalive.ends = 0;
    ++keepalive.ends;
    keepalive.last_ticks = std::max(keepalive.last_ticks, deed.end->ticks);
    keepalive.host_command = told_line(deed.begin.host_argv, kLongestCommand);
}

}  // namespace

Memory remember(const std::vector<Deed>& deeds, const std::vector<Event>& sightings, std::uint32_t ticks_per_second) {
    const auto ours = deeds_that_matter(deeds, sightings);
    Starts starts(ours, sightings, ticks_of(policy::kRespawnTime, ticks_per_second));
    Memory memory;
    for (const Deed& deed : ours) {
        const Event* newcomer = deed.respawn ? nullptr : starts.take(deed);
        if (newcomer != nullptr) memory.unnoted.push_back({deed.begin, *newcomer});
        if (newcomer != nullptr || deed.respawn)
            count(deed, ticks_of(std::chrono::hours(24), ticks_per_second), memory.keepalives);
    }
    return memory;
}

void heed_history(Judged& judged, const Setup& setup, const std::string& folder) {
    if (folder.empty() || std::ranges::none_of(judged.judgements, policy::can_respawn)) return;
    const auto history = read_history(folder);
    if (!history) {
        judged.remarks.push_back(
            fmt::format("who is started again after each end cannot be told, as the history cannot be read: {}",
                        policy::escape(describe(history.error()), 400)));
        return;
    }
    scanner::Facts& facts = judged.look.facts;
    Memory memory = remember(deeds_of(history->events), sightings_of(judged), facts.machine.ticks_per_second);
    facts.keepalives = std::move(memory.keepalives);
    judged.respawns = std::move(memory.unnoted);
    if (!facts.keepalives.empty()) judged.judgements = policy::judge(facts, judged.look.rules, setup.settings);
}

}  // namespace reaper::agent
