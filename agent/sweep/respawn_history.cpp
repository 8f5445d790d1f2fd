#include "agent/sweep/respawn_history.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "agent/redaction/argv.hpp"
#include "agent/sweep/respawns.hpp"
#include "policy/verdict/respawn_veto.hpp"

namespace reaper::agent {

namespace {

using scanner::Keepalive;

constexpr std::size_t kLongestCommand = 90;  // so that there is room in a line for what it did

std::uint64_t ticks_of(std::chrono::seconds time, std::uint32_t ticks_per_second) {
    return static_cast<std::uint64_t>(time.count()) * ticks_per_second;
}

// Copies those of the hosts that a process has now. What a host leaves behind that is dead says
// nothing of a daemon that is started again. Where the line before the end is lost, or has no
// clock, nothing is known.
std::vector<ActionRecord> records_that_matter(const std::vector<ActionRecord>& records,
                                              const std::vector<Event>& sightings) {
    std::vector<ActionRecord> found;
    std::ranges::copy_if(records, std::back_inserter(found), [&](const ActionRecord& record) {
        return is_about_process(record) && has_ended(record) &&
               record.begin.kind == EventKind::signal && record.begin.ticks != 0 &&
               can_be_followed(record.begin) &&
               std::ranges::any_of(sightings, [&](const Event& sighting) {
                   return have_one_host(record.begin, sighting);
               });
    });
    return found;
}

// All processes whose start is known, by start.
std::vector<const Event*> starts_of(const std::vector<ActionRecord>& records,
                                    const std::vector<Event>& sightings) {
    std::vector<const Event*> starts;
    starts.reserve(sightings.size() + records.size());
    for (const Event& sighting : sightings) starts.push_back(&sighting);
    for (const ActionRecord& record : records) starts.push_back(&record.begin);
    std::ranges::sort(starts, {},
                      [](const Event* start) { return std::pair(start->start_ticks, start->pid); });
    return starts;
}

// Helpers of one host, family and home. `counted_until`: kills up to then belong to the round that
// was counted last, as those of the two halves of a unit do.
struct Streak {
    const Event* first;
    Keepalive keepalive;
    std::uint64_t counted_until = 0;
};

Streak& streak_of(const Event& event, std::vector<Streak>& streaks) {
    const auto found = std::ranges::find_if(
        streaks, [&](const Streak& streak) { return have_one_host(*streak.first, event); });
    if (found != streaks.end()) return *found;
    Keepalive keepalive{
        event.uid, event.family, event.home, event.host, event.host_start_ticks, {}, 0, 0};
    return streaks.emplace_back(Streak{&event, std::move(keepalive)});
}

// `started`: when the newcomer did, or was noted to have; none came in time, and the count begins
// anew.
void count(const ActionRecord& record, std::optional<std::uint64_t> started, Streak& streak) {
    if (record.begin.ticks <= streak.counted_until) return;
    if (!started) {
        streak.keepalive.ends = 0;
        return;
    }
    streak.counted_until = *started;
    ++streak.keepalive.ends;
    streak.keepalive.last_ticks = std::max(streak.keepalive.last_ticks, record.end->ticks);
    streak.keepalive.host_command = shown_line(record.begin.host_argv, kLongestCommand);
}

}  // namespace

RespawnHistory find_respawning_helpers(const std::vector<ActionRecord>& records,
                                       const std::vector<Event>& sightings,
                                       std::uint32_t ticks_per_second) {
    const auto in_time = ticks_of(policy::kRespawnTime, ticks_per_second);
    const auto ours = records_that_matter(records, sightings);
    const auto starts = starts_of(ours, sightings);
    std::set<std::string> noted;  // each newcomer is noted for one end
    for (const ActionRecord& record : ours) {
        if (record.respawn) noted.insert(record.respawn->respawned_identity);
    }
    RespawnHistory memory;
    std::vector<Streak> streaks;
    for (const ActionRecord& record : ours) {
        Streak& streak = streak_of(record.begin, streaks);
        if (record.respawn) {
            count(record, record.respawn->ticks, streak);
            continue;
        }
        const auto found = std::ranges::find_if(starts, [&](const Event* start) {
            return start->start_ticks >= record.begin.ticks &&
                   start->start_ticks <= record.end->ticks + in_time &&
                   follows(record.begin, *start) && !noted.contains(start->identity);
        });
        if (found == starts.end()) {
            count(record, std::nullopt, streak);
            continue;
        }
        noted.insert((*found)->identity);
        memory.unnoted.push_back({record.begin, **found});
        count(record, (*found)->start_ticks, streak);
    }
    for (Streak& streak : streaks) {
        if (streak.keepalive.ends > 0) memory.past_ends.push_back(std::move(streak.keepalive));
    }
    return memory;
}

std::vector<Respawn> apply_respawn_history(Judged& judged, const Setup& setup,
                                           CachedHistory& past) {
    if (std::ranges::none_of(judged.judgements, policy::can_respawn)) return {};
    const auto& records = past.records();
    if (!records) {
        judged.remarks.push_back(
            fmt::format("what is started again after each end cannot be told, as the history "
                        "cannot be read: {}",
                        policy::escape(describe(records.error()), 400)));
        return {};
    }
    Look& look = judged.look;
    RespawnHistory memory = find_respawning_helpers(*records, sightings_of(judged),
                                                    look.facts.machine.ticks_per_second);
    look.past_ends = std::move(memory.past_ends);
    if (!look.past_ends.empty())
        judged.judgements = policy::judge(look.facts, look.rules, setup.settings, look.past_ends);
    return std::move(memory.unnoted);
}

Result<Judged> look_and_judge_with_past(const Observer& observer, const Setup& setup,
                                        CachedHistory& past, const KeepHandles& held) {
    auto judged = look_and_judge(observer, setup, held);
    if (judged) std::ignore = apply_respawn_history(*judged, setup, past);
    return judged;
}

}  // namespace reaper::agent
