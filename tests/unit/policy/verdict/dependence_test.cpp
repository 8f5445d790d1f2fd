// Which members are judged again with one of them, and that no other is.
#include "policy/verdict/dependence.hpp"

#include <set>

#include "policy/verdict/judge.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/policy/verdict/judged.hpp"

namespace reaper::test {

namespace {

using policy::Settings;
using policy::Verdict;
using scanner::Pid;
using Pids = std::set<Pid>;

constexpr Pid kPid = 100;

Pids together_with(const FactsBuilder& builder, Pid pid) {
    const auto members = policy::find_members(builder.facts(), all_rules());
    return policy::judged_together(members, builder.facts(), pid);
}

}  // namespace

TEST_CASE("what is no member is judged with nothing") {
    FactsBuilder builder = FactsBuilder().attached_bridge(kPid, kHost);
    builder.below(row(101, kPid, "/usr/bin/node", {"node", "/x/worker.js"}));
    CHECK(together_with(builder, kHost).empty());
    CHECK(together_with(builder, 101).empty());
    CHECK(together_with(builder, kGonePid).empty());
    CHECK(together_with(FactsBuilder(), kPid).empty());
}

TEST_CASE("a member that shares nothing is judged alone") {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kPid).orphan_bridge(200).orphan_bridge(300);
    set_home(builder[200], "/srv/other");
    set_uid(builder[300], kUser + 1);
    builder.orphan_worker(400, kGonePid);
    CHECK(together_with(builder, kPid) == Pids{kPid});
    CHECK(together_with(builder, 400) == Pids{400});
}

TEST_CASE("a launcher is judged with all that it runs, from whichever of them it is asked") {
    FactsBuilder builder = FactsBuilder().orphan_pair(kPid, 101).orphan_pair(200, 201);
    set_home(builder[200], "/srv/other");
    set_home(builder[201], "/srv/other");
    CHECK(together_with(builder, kPid) == Pids{kPid, 101});
    CHECK(together_with(builder, 101) == Pids{kPid, 101});
    CHECK(together_with(builder, 201) == Pids{200, 201});
}

TEST_CASE("members below are judged, too, however far, and what is no member is not") {
    FactsBuilder builder = FactsBuilder().orphan_worker(kPid, kGonePid).attached_bridge(102, 101);
    builder.below(row(101, kPid, "/usr/bin/dash", {"sh", "-c", "bridge"}));
    builder.attached_bridge(103, 102).attached_bridge(200, kHost);
    set_home(builder[103], "/srv/other");
    set_home(builder[200], "/srv/another");
    CHECK(together_with(builder, kPid) == Pids{kPid, 102, 103});
    CHECK(together_with(builder, 102) == Pids{102, 103});
    CHECK(together_with(builder, 103) == Pids{103});
}

TEST_CASE("a ring of parents, as contradictory facts can have one, is passed once") {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kPid).orphan_bridge(101);
    builder[kPid].row.ppid = 101;
    builder[101].row.ppid = kPid;
    set_home(builder[101], "/srv/other");
    CHECK(together_with(builder, kPid) == Pids{kPid, 101});
}

TEST_CASE("those of the same family and home are judged, with their launchers") {
    FactsBuilder builder = FactsBuilder()
                               .attached_bridge(kPid, kHost)
                               .attached_bridge(150, kHost)
                               .orphan_pair(200, 201);
    set_home(builder[200], "/srv/other");  // not its bridge
    builder.orphan_worker(300, kHost).orphan_worker(301, kHost);
    CHECK(together_with(builder, kPid) == Pids{kPid, 150, 200, 201});
    CHECK(together_with(builder, 300) == Pids{300, 301});
}

TEST_CASE("a family that may run several times has no duplicates to judge") {
    FactsBuilder builder;
    for (const Pid pid : {kPid, kPid + 1})
        builder.orphan(row(pid, 1, "/usr/bin/node", {"npm exec mcp-server-x", "", ""}));
    CHECK(together_with(builder, kPid) == Pids{kPid});
}

TEST_CASE("one that is not asked for has no judgement of its own either") {
    const FactsBuilder builder = FactsBuilder().orphan_bridge(kPid);
    Settings settings;
    policy::MatchMemory memory(all_rules());
    const auto has_judgement = [&](Pid pid) {
        return policy::judge_one(pid, builder.facts(), memory, settings, {}).has_value();
    };
    CHECK(has_judgement(kPid));
    CHECK_FALSE(has_judgement(kHost));
    settings.families = {"slash_worker"};
    CHECK_FALSE(has_judgement(kPid));
    settings.families = {"bridge"};
    settings.homes = {"/srv/other"};
    CHECK_FALSE(has_judgement(kPid));
    settings.homes = {kHome};
    CHECK(has_judgement(kPid));
}

TEST_CASE("one that is judged alone is measured by the daemon of its home") {
    const FactsBuilder builder = FactsBuilder().daemon(kPid).listening_daemon(200);
    policy::MatchMemory memory(all_rules());
    const auto judgement = policy::judge_one(kPid, builder.facts(), memory, {}, {});
    REQUIRE(judgement);
    CHECK(judgement->verdict == Verdict::superseded);
    CHECK(judgement->relies_on == std::vector<Pid>{200});
}

}  // namespace reaper::test
