// Which members are suspected of being leaked before they are judged, and that no other is.
#include "policy/verdict/suspects.hpp"

#include <set>

#include "policy/match/member.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/policy/verdict/judged.hpp"

namespace reaper::test {

namespace {

using policy::Action;
using policy::Settings;
using policy::Suspects;
using policy::Verdict;
using Pids = std::set<scanner::Pid>;

constexpr scanner::Pid kPid = 100;

Suspects suspects_by(const policy::Rules& rules, const FactsBuilder& builder,
                     const Settings& settings = {}) {
    return policy::find_suspects(policy::find_members(builder.facts(), rules),
                                 builder.facts().machine, settings);
}

Suspects suspects_of(const FactsBuilder& builder, const Settings& settings = {}) {
    return suspects_by(all_rules(), builder, settings);
}

bool is_none(const Suspects& suspects) {
    return suspects.hostless.empty() && suspects.hosted.empty() && suspects.to_end.empty();
}

}  // namespace

TEST_CASE("an orphan is suspected, and is one to end") {
    const auto suspects = suspects_of(FactsBuilder().orphan_bridge(kPid));
    CHECK(suspects.hostless == Pids{kPid});
    CHECK(suspects.hosted.empty());
    CHECK(suspects.to_end == Pids{kPid});
}

TEST_CASE("a member is suspected from its minimum age on") {
    Settings settings;
    settings.min_age = std::chrono::seconds(10);
    FactsBuilder builder = FactsBuilder().orphan_bridge(kPid);
    set_start(builder[kPid], kNow - 1000);
    CHECK(suspects_of(builder, settings).hostless == Pids{kPid});
    set_start(builder[kPid], kNow - 999);
    CHECK(is_none(suspects_of(builder, settings)));
}

TEST_CASE("a launcher is suspected with what it runs, whatever home it names itself") {
    FactsBuilder builder = FactsBuilder().orphan_pair(kPid, 101).attached_bridge(200, kHost);
    builder[kPid].row.ppid = kHost;
    for (const scanner::Pid pid : {kPid, 101})
        builder[pid].standard_input = builder[pid].standard_output = live_end();
    set_home(builder[kPid], "/srv/other");
    CHECK(suspects_of(builder).hosted == Pids{kPid, 101, 200});
}

TEST_CASE("what has exited is not suspected") {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kPid);
    builder[kPid].row.state = 'Z';
    CHECK(is_none(suspects_of(builder)));
    builder[kPid].row.state = 'X';
    CHECK(is_none(suspects_of(builder)));
}

TEST_CASE("with a live host, one is suspected that is cut off from it at both ends") {
    FactsBuilder builder = FactsBuilder().attached_bridge(kPid, kHost);
    CHECK(is_none(suspects_of(builder)));
    builder[kPid].standard_input = dead_end();
    CHECK(is_none(suspects_of(builder)));
    builder[kPid].standard_output = dead_end();
    const auto suspects = suspects_of(builder);
    CHECK(suspects.hosted == Pids{kPid});
    CHECK(suspects.hostless.empty());
    builder[kPid].standard_output.access = scanner::Access::denied;
    CHECK(is_none(suspects_of(builder)));
}

TEST_CASE("of a family with one instance for each home, several are suspected") {
    FactsBuilder builder = FactsBuilder().attached_bridge(kPid, kHost).attached_bridge(101, kHost);
    CHECK(suspects_of(builder).hosted == Pids{kPid, 101});
    set_home(builder[101], "/srv/other");
    CHECK(is_none(suspects_of(builder)));
    const auto rules =
        with_bridge_rule([](policy::FamilyRule& rule) { rule.single_instance = false; });
    set_home(builder[101], kHome);
    CHECK(is_none(suspects_by(rules, builder)));
}

TEST_CASE("a daemon is suspected only beside another that listens") {
    CHECK(is_none(suspects_of(FactsBuilder().daemon(kPid))));
    CHECK(is_none(suspects_of(FactsBuilder().daemon(kPid).daemon(101))));
    CHECK(is_none(suspects_of(FactsBuilder().listening_daemon(kPid))));
    const auto suspects = suspects_of(FactsBuilder().daemon(kPid).listening_daemon(101));
    CHECK(suspects.hostless == Pids{kPid});
}

TEST_CASE("only what rules or settings would have ended is one to end") {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kPid);
    const auto without = with_bridge_rule([](policy::FamilyRule& rule) { rule.actions.clear(); });
    CHECK(suspects_by(without, builder).hostless == Pids{kPid});
    CHECK(suspects_by(without, builder).to_end.empty());
    const auto reporting = with_bridge_rule([](policy::FamilyRule& rule) {
        for (auto& [verdict, action] : rule.actions) action = Action::report;
    });
    CHECK(suspects_by(reporting, builder).to_end.empty());
    CHECK(suspects_by(reporting, builder, also({Verdict::orphan})).to_end == Pids{kPid});
}

TEST_CASE("a member whose parent is neither a host nor an adopter is not suspected") {
    FactsBuilder builder = FactsBuilder().attached_bridge(kPid, kGonePid);
    builder[kPid].standard_input = dead_end();
    builder[kPid].standard_output = dead_end();
    CHECK(is_none(suspects_of(builder)));
}

}  // namespace reaper::test
