#include "agent/keepalive.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
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

// Everybody who ever started, as far as that is known. Each replaces one.
class Starts {
   public:
    // Both outlive this.
    Starts(const std::vector<Deed>& deeds, const std::vector<Event>& sightings, std::uint64_t in_time)
        : in_time_(in_time) {
        std::set<std::string> noted;
        for (const Deed& deed : deeds) {
            if (deed.respawn) noted.insert(deed.respawn->respawned_identity);
        }
        const auto add = [&](const Event& event) { starts_.push_back({&event, noted.contains(event.identity)}); };
        std::ranges::for_each(sightings, add);
        std::ranges::for_each(deeds, add, &Deed::begin);
        std::ranges::sort(starts_, {},
                          [](const Start& start) { return std::pair(start.event->start_ticks, start.event->pid); });
    }

    // The first in the place of `deed`; null: nobody came in time, or the host was opening more of them anyway.
    [[nodiscard]] const Event* take(const Deed& deed) {
        if (opens_more(deed, deed.begin.ticks)) return nullptr;
        const auto found = std::ranges::find_if(starts_, [&](const Start& start) {
            return !start.taken && start.event->start_ticks >= deed.begin.ticks &&
                   start.event->start_ticks <= deed.end->ticks + in_time_ && comes_again(deed.begin, *start.event);
        });
        if (found == starts_.end()) return nullptr;
        found->taken = true;
        return found->event;
    }

    // Duplicates are opened by a host that goes on to open them, whoever ends. It did so shortly before this end, or any time until
    // `until`, in nobody's place.
    [[nodiscard]] bool opens_more(const Deed& deed, std::uint64_t until) const {
        if (deed.begin.verdict != policy::to_string(policy::Verdict::duplicate)) return false;
        return std::ranges::any_of(starts_, [&](const Start& start) {
            return !start.taken && start.event->start_ticks + in_time_ >= deed.begin.ticks &&
                   start.event->start_ticks <= until && comes_again(deed.begin, *start.event);
        });
    }

   private:
    struct Start {
        const Event* event;
        bool taken;
    };

    std::vector<Start> starts_;
    std::uint64_t in_time_;
};

// One helper of one host. The two halves of a unit are two helpers, each with as many ends as the unit.
struct Streak {
    const Event* first;
    Keepalive keepalive;
};

Keepalive& keepalive_of(const Event& event, std::vector<Streak>& streaks) {
    const auto found = std::ranges::find_if(streaks, [&](const Streak& streak) {
        return have_one_host(*streak.first, event) && streak.first->argv == event.argv;
    });
    if (found != streaks.end()) return found->keepalive;
    Keepalive keepalive{event.uid, event.family, event.home, event.host, event.host_start_ticks, {}, 0, 0};
    return streaks.emplace_back(Streak{&event, std::move(keepalive)}).keepalive;
}

// A host that needs its helper again now and then is no keepalive, nor is one that was mended.
void count(const Deed& deed, bool came_again, std::uint64_t spell, Keepalive& keepalive) {
    if (came_again) {
        ++keepalive.ends;
        keepalive.last_ticks = std::max(keepalive.last_ticks, deed.end->ticks);
        keepalive.host_command = told_line(deed.begin.host_argv, kLongestCommand);
    } else if (deed.end->ticks > keepalive.last_ticks + spell) {
        keepalive.ends = 0;
    }
}

std::vector<Keepalive> keepalives_of(const std::vector<Deed>& deeds, const std::set<const Deed*>& replaced,
                                     const Starts& starts, std::uint64_t spell) {
    std::vector<Streak> streaks;
    for (const Deed& deed : deeds) {
        const bool came_again =
            replaced.contains(&deed) && !starts.opens_more(deed, std::numeric_limits<std::uint64_t>::max());
        count(deed, came_again, spell, keepalive_of(deed.begin, streaks));
    }
    std::vector<Keepalive> keepalives;
    for (Streak& streak : streaks) {
        if (streak.keepalive.ends > 0) keepalives.push_back(std::move(streak.keepalive));
    }
    return keepalives;
}

}  // namespace

Memory remember(const std::vector<Deed>& deeds, const std::vector<Event>& sightings, std::uint32_t ticks_per_second) {
    const auto ours = deeds_that_matter(deeds, sightings);
    Starts starts(ours, sightings, ticks_of(policy::kRespawnTime, ticks_per_second));
    Memory memory;
    std::set<const Deed*> replaced;
    for (const Deed& deed : ours) {
        const Event* newcomer = deed.respawn ? nullptr : starts.take(deed);
        if (newcomer != nullptr) memory.unnoted.push_back({deed.begin, *newcomer});
        if (newcomer != nullptr || deed.respawn) replaced.insert(&deed);
    }
    memory.keepalives = keepalives_of(ours, replaced, starts, ticks_of(policy::kRespawnSpell, ticks_per_second));
    return memory;
}

void heed_history(Judged& judged, const Setup& setup, Past& past) {
    if (std::ranges::none_of(judged.judgements, policy::can_respawn)) return;
    const auto& deeds = past.deeds();
    if (!deeds) {
        judged.remarks.push_back(
            fmt::format("who is started again after each end cannot be told, as the history cannot be read: {}",
                        policy::escape(describe(deeds.error()), 400)));
        return;
    }
    scanner::Facts& facts = judged.look.facts;
    Memory memory = remember(*deeds, sightings_of(judged), facts.machine.ticks_per_second);
    facts.keepalives = std::move(memory.keepalives);
    judged.respawns = std::move(memory.unnoted);
    if (!facts.keepalives.empty()) judged.judgements = policy::judge(facts, judged.look.rules, setup.settings);
}

}  // namespace reaper::agent
