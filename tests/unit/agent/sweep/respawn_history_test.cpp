// Whole histories, and what they say to be started again each time.
#include "agent/sweep/respawn_history.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "agent/history/file.hpp"
#include "policy/verdict/respawn_veto.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/facts_builder.hpp"
#include "tests/support/temporary_folder.hpp"

namespace reaper::agent {

namespace {

using scanner::Keepalive;

constexpr std::uint64_t kMinute = 6000;  // in ticks
constexpr std::uint64_t kDay = 24 * 60 * kMinute;
constexpr std::uint64_t kBegin = 100'000;

Event bridge(scanner::Pid pid, std::uint64_t start_ticks) {
    Event event;
    event.pid = pid;
    event.identity = fmt::format("boot:1:{}:t{}", pid, start_ticks);
    event.family = "bridge";
    event.home = "/h";
    event.verdict = "abandoned";
    event.uid = 1000;
    event.argv = {"node", "bridge.mjs"};
    event.start_ticks = start_ticks;
    event.host = 77;
    event.host_start_ticks = 5;
    event.host_argv = {"python3", "-m", "hermes_cli.main", "gateway", "run"};
    return event;
}

ActionRecord ended(Event event, std::uint64_t ticks) {
    event.ticks = ticks;
    Event end = event;
    end.kind = EventKind::ended;
    end.ticks = ticks + 10;
    end.result = "ended_on_term";
    return {event, {"TERM"}, end, std::nullopt};
}

// Each is ended `apart` ticks after the one before, and the next one is there `after` ticks after
// that; the last one lives.
struct Story {
    std::vector<ActionRecord> records;
    std::vector<Event> sightings;
};

Story story(std::size_t ends, std::uint64_t after, std::uint64_t apart = 10 * kMinute) {
    Story told;
    std::uint64_t start = kBegin;
    for (std::size_t i = 0; i < ends; ++i) {
        const std::uint64_t end = kBegin + (i + 1) * apart;
        told.records.push_back(ended(bridge(static_cast<scanner::Pid>(100 + i), start), end - 10));
        start = end + after;
    }
    told.sightings.push_back(bridge(static_cast<scanner::Pid>(100 + ends), start));
    return told;
}

std::size_t ends_of(const RespawnHistory& memory) {
    REQUIRE(memory.past_ends.size() <= 1);
    return memory.past_ends.empty() ? 0 : memory.past_ends.front().ends;
}

std::size_t ends_in(const Story& told) {
    return ends_of(find_respawning_helpers(told.records, told.sightings, 100));
}

// The same, with everything that lives changed.
template <class Change>
std::size_t ends_with(const Change& change) {
    Story told = story(3, 50);
    for (Event& sighting : told.sightings) change(sighting);
    return ends_in(told);
}

template <class Change>
std::size_t ends_with_records(const Change& change) {
    Story told = story(3, 50);
    for (ActionRecord& record : told.records) change(record);
    return ends_in(told);
}

}  // namespace

TEST_CASE(
    "each end that the same host answered with a new start counts, however the runs were spaced") {
    CHECK(ends_in(story(0, 50)) == 0);
    CHECK(ends_in(story(1, 50)) == 1);
    CHECK(ends_in(story(2, 50)) == 2);
    CHECK(ends_in(story(3, 50)) == 3);
    CHECK(ends_in(story(3, 50, 5 * 60 * kMinute)) == 3);
    const Story told = story(3, 50);
    const RespawnHistory memory = find_respawning_helpers(told.records, told.sightings, 100);
    REQUIRE(memory.past_ends.size() == 1);
    CHECK(memory.past_ends.front() == Keepalive{1000, "bridge", "/h", 77, 5,
                                                "python3 -m hermes_cli.main gateway run", 3,
                                                kBegin + 30 * kMinute});
    REQUIRE(memory.unnoted.size() == 3);
    CHECK(memory.unnoted.front() == Respawn{told.records[0].begin, told.records[1].begin});
    CHECK(memory.unnoted.back() == Respawn{told.records[2].begin, told.sightings[0]});
}

TEST_CASE(
    "within two minutes, not later, nor before it was told to end, however late that is noticed") {
    for (const std::uint64_t after : {std::uint64_t{4200}, std::uint64_t{8300}, 2 * kMinute})
        CHECK(ends_in(story(3, after, 60 * kMinute)) == 3);
    CHECK(ends_in(story(3, 2 * kMinute + 1, 60 * kMinute)) == 0);
    CHECK(ends_in(story(3, 9 * kMinute, 60 * kMinute)) == 0);
    CHECK(ends_in(story(3, 50, kDay)) == 3);
    const auto started = [](std::uint64_t ticks) {
        return ends_of(find_respawning_helpers({ended(bridge(100, kBegin), kBegin + kMinute)},
                                               {bridge(200, ticks)}, 100));
    };
    CHECK(started(kBegin + kMinute) == 1);
    CHECK(started(kBegin + kMinute - 1) == 0);
}

TEST_CASE("another home, family, user or host is another count, another argv is not") {
    CHECK(ends_with([](Event&) {}) == 3);
    CHECK(ends_with([](Event& event) { event.home = "/other"; }) == 0);
    CHECK(ends_with([](Event& event) { event.family = "slash_worker"; }) == 0);
    CHECK(ends_with([](Event& event) { event.uid = 0; }) == 0);
    CHECK(ends_with([](Event& event) { event.host = 78; }) == 0);
    CHECK(ends_with([](Event& event) { event.host_start_ticks = 6; }) == 0);
    CHECK(ends_with([](Event& event) { event.identity = "other:1:103:t1"; }) == 0);
    CHECK(ends_with([](Event& event) { event.identity = "boot:2:103:t1"; }) == 0);
    CHECK(ends_with([](Event& event) { event.argv.emplace_back("--daemon"); }) == 3);
}

TEST_CASE("what did not end, or of which too little is written down, does not count") {
    CHECK(ends_with_records([](ActionRecord&) {}) == 3);
    CHECK(ends_with_records([](ActionRecord& record) { record.end->result = "ended_on_kill"; }) ==
          3);
    CHECK(ends_with_records([](ActionRecord& record) { record.end->result = "survived"; }) == 0);
    CHECK(ends_with_records([](ActionRecord& record) { record.end.reset(); }) == 0);
    CHECK(ends_with_records([](ActionRecord& record) { record.begin.ticks = 0; }) == 0);
    CHECK(ends_with_records([](ActionRecord& record) { record.begin = *record.end; }) == 0);
}

TEST_CASE("what hosts leave behind that die is a leak each time") {
    Story told = story(10, 50);
    for (ActionRecord& record : told.records) {
        record.begin.host = 0;
        record.begin.host_start_ticks = 0;
        record.begin.verdict = "orphan";
    }
    told.sightings.front().host = 0;
    told.sightings.front().host_start_ticks = 0;
    CHECK(ends_in(told) == 0);
    for (ActionRecord& record : told.records) record.begin.verdict = "superseded";
    CHECK(ends_in(told) == 10);
}

TEST_CASE("a daemon of an unknown starter, and what dead hosts leave beside it") {
    Story told = story(3, 50);
    const auto make_daemon = [](Event& event) {
        event.role = "daemon";
        event.verdict = "superseded";
        event.host = 0;
        event.host_start_ticks = 0;
    };
    for (ActionRecord& record : told.records) make_daemon(record.begin);
    make_daemon(told.sightings.front());
    Event leftover = told.sightings.front();
    leftover.pid = 500;
    leftover.identity = "boot:1:500:t1";
    leftover.role = "headless";
    leftover.verdict = "orphan";
    Story beside = told;
    for (std::size_t at = 3; at > 0; --at) {
        const std::uint64_t then = told.records[at - 1].end->ticks + 5 * kMinute;
        beside.records.insert(beside.records.begin() + static_cast<std::ptrdiff_t>(at),
                              ended(leftover, then));
    }
    CHECK(ends_in(beside) == 3);  // that they are ended begins no count anew
    Story instead = told;
    instead.sightings.front().role = "headless";
    CHECK(ends_in(instead) == 0);  // nor is one of them its successor
}

TEST_CASE("kills before one new start count once, and each newcomer is noted once") {
    const std::vector<ActionRecord> records = {ended(bridge(1, kBegin), kBegin + 100),
                                               ended(bridge(2, kBegin), kBegin + 100),
                                               ended(bridge(3, kBegin), kBegin + 100)};
    CHECK(ends_of(find_respawning_helpers(records, {bridge(4, kBegin + 200)}, 100)) == 1);
    const RespawnHistory two =
        find_respawning_helpers(records, {bridge(4, kBegin + 200), bridge(5, kBegin + 201)}, 100);
    CHECK(ends_of(two) == 1);
    CHECK(two.unnoted.size() == 2);
}

TEST_CASE("what is noted already counts, and is not noted again") {
    Story told = story(3, 50);
    for (std::size_t at = 0; at < 2; ++at) {
        Event again = told.records[at].begin;
        again.kind = EventKind::respawned;
        again.respawned_identity = told.records[at + 1].begin.identity;
        told.records[at].respawn = again;
    }
    const RespawnHistory memory = find_respawning_helpers(told.records, told.sightings, 100);
    CHECK(ends_of(memory) == 3);
    REQUIRE(memory.unnoted.size() == 1);
    CHECK(memory.unnoted.front().newcomer == told.sightings.front());
    // No other process comes in its place as well.
    const std::vector<ActionRecord> first = {told.records.front()};
    CHECK(find_respawning_helpers(first,
                                  {told.records[1].begin, bridge(300, kBegin + 11 * kMinute)}, 100)
              .unnoted.empty());
    // The one that came in its place is spoken for.
    told.records.insert(told.records.begin(),
                        ended(bridge(99, kBegin - 1), kBegin + 10 * kMinute - 10));
    CHECK(ends_in(told) == 3);
}

TEST_CASE("a kill after which nothing came in time begins the count anew") {
    Story told = story(3, 50);
    const std::uint64_t last = told.records.back().end->ticks;
    told.records.push_back(ended(told.sightings.front(), last + 60 * kMinute));
    told.sightings = {bridge(300, last + 70 * kMinute)};
    CHECK(ends_in(told) == 0);
    told.sightings = {bridge(300, last + 61 * kMinute)};
    CHECK(ends_in(told) == 4);
}

TEST_CASE("a host that opens a helper now and then is no keepalive") {
    for (const std::uint64_t apart : {7 * kMinute, 15 * kMinute, 25 * kMinute}) {
        Story told;
        for (std::size_t i = 0; i < 40; ++i) {
            const std::uint64_t start = kBegin + i * apart;
            const std::uint64_t next_run = (start / (10 * kMinute) + 1) * 10 * kMinute;
            told.records.push_back(
                ended(bridge(static_cast<scanner::Pid>(100 + i), start), next_run));
        }
        told.sightings = {bridge(300, kBegin + 40 * apart)};
        CHECK(ends_in(told) < policy::kMostRespawns);
    }
}

TEST_CASE("the halves of a unit count once") {
    Story told = story(2, 50);
    const auto launchers = [](Event event) {
        event.pid += 1000;
        event.identity = fmt::format("boot:1:{}:t{}", event.pid, event.start_ticks);
        event.argv = {"node", "tsx"};
        return event;
    };
    for (std::size_t at = 0; at < 3; at += 2) {
        ActionRecord launcher = told.records[at];
        launcher.begin = launchers(launcher.begin);
        told.records.insert(told.records.begin() + static_cast<std::ptrdiff_t>(at), launcher);
    }
    told.sightings.push_back(launchers(told.sightings.front()));
    CHECK(ends_in(told) == 2);
}

TEST_CASE("what can be told of a host leaves room in a line for what it did") {
    Story told = story(1, 50);
    told.records[0].begin.host_argv = {std::string(300, 'x')};
    const RespawnHistory memory = find_respawning_helpers(told.records, told.sightings, 100);
    CHECK(memory.past_ends.at(0).host_command == std::string(90, 'x') + "...");
}

TEST_CASE(
    "the history is read where something could be started again, and a remark says that it cannot "
    "be") {
    test::FactsBuilder builder;
    builder.orphan_bridge(100);
    Setup setup;
    setup.rules = policy::built_in_rules();
    setup.settings.also_reap = {policy::Verdict::abandoned};
    const auto remarks = [&](const std::string& folder) {
        Judged judged;
        judged.look.facts = builder.facts();
        judged.look.rules = setup.rules;
        judged.judgements = policy::judge(builder.facts(), setup.rules, setup.settings, {});
        CachedHistory past(folder);
        std::ignore = apply_respawn_history(judged, setup, past);
        CHECK(judged.look.past_ends.empty());
        CHECK(judged.judgements.front().action == policy::Action::reap);
        return judged.remarks;
    };
    const test::TemporaryFolder folder;
    folder.write("history.jsonl", "{torn\n");
    const std::string file = folder / "history.jsonl";
    CHECK(remarks(file).empty());
    builder[100].row.ppid = test::kHost;
    CHECK(remarks("").empty());
    CHECK(remarks(folder.path()).empty());
    CHECK(remarks(folder / "nothing").empty());
    REQUIRE(remarks(file).size() == 1);
    CHECK(remarks(file).front().starts_with(
        "what is started again after each end cannot be told, as the history "));
}

}  // namespace reaper::agent
