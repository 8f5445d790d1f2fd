#include "policy/verdict/claim_vetoes.hpp"

// What pid, lock and ledger files may do to a judgement: protect, and only processes of the user
// whose they are.
#include "policy/verdict/vetoes.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/policy/verdict/judged.hpp"

namespace reaper::test {

namespace {

using reaper::policy::Action;
using reaper::policy::Judgement;
using reaper::policy::Verdict;
using reaper::scanner::Access;
using reaper::scanner::Claim;
using reaper::scanner::ClaimKind;
using reaper::scanner::Pid;

constexpr Pid kPid = 100;

// What is left of a perfect orphan under this claim. Empty: it is reaped.
std::string veto_under(const Claim& claim, const char* home = nullptr) {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kPid);
    REQUIRE(is_orphan(judged(builder, kPid)));
    if (home != nullptr) set_home(builder[kPid], home);
    builder.claim(claim);
    const Judgement judgement = judged(builder, kPid);
    if (is_orphan(judgement)) return "";
    CHECK(judgement.action != Action::reap);
    const auto codes = vetoes_of(judgement);
    REQUIRE(codes.size() == 1);
    return codes.front() + " " + std::string(to_string(judgement.verdict));
}

Claim changed(Claim claim, void (*change)(Claim& claim)) {
    change(claim);
    return claim;
}

}  // namespace

TEST_CASE("a gateway's pid file or a desktop's lock protects what it names") {
    for (const ClaimKind kind : {ClaimKind::gateway_pid, ClaimKind::desktop_lock}) {
        const Claim claim = claim_of(kind, kHermesHome, kPid);
        CHECK(veto_under(claim) == "veto.claimed designated");
        CHECK(veto_under(changed(claim, [](Claim& file) { file.owner = 0; })) ==
              "veto.claimed designated");
        CHECK(veto_under(changed(claim, [](Claim& file) { file.start_ticks = kNow - kHour; })) ==
              "veto.claimed designated");
    }
}

TEST_CASE("a file that names another process, or a pid that was handed out again, protects none") {
    const Claim claim = claim_of(ClaimKind::gateway_pid, kHermesHome, kPid);
    CHECK(veto_under(changed(claim, [](Claim& file) { file.pid = 101; })).empty());
    CHECK(veto_under(changed(claim, [](Claim& file) {
              file.start_ticks = kNow - kHour - 1;
          })).empty());
    CHECK(veto_under(changed(claim, [](Claim& file) {
              file.written_epoch = kNowEpoch - 3603;
          })).empty());
    CHECK(veto_under(changed(claim, [](Claim& file) { file.written_epoch = kNowEpoch - 3601; })) ==
          "veto.claimed designated");  // clocks are stepped and rounded
    CHECK(veto_under(changed(claim, [](Claim& file) { file.access = Access::gone; })).empty());
}

TEST_CASE("a clock that was stepped lifts no veto of what may have written the file") {
    const auto older = [](Claim claim) {
        claim.written_epoch = kNowEpoch - 7200;
        return claim;
    };
    CHECK(veto_under(older(claim_of(ClaimKind::desktop_lock, kHermesHome, kPid))) ==
          "veto.claimed designated");
    Claim claim = older(claim_of(ClaimKind::gateway_pid, kHermesHome, kPid));
    CHECK(veto_under(claim).empty());  // a bridge writes no such file
    claim.start_ticks = kNow - kHour;
    CHECK(veto_under(claim) == "veto.claimed designated");
    claim = older(claim_of(ClaimKind::desktop_lock, kHermesHome, kPid));
    claim.start_ticks = kNow - kHour - 1;
    CHECK(veto_under(claim).empty());
    claim.start_ticks.reset();
    claim.written_epoch = kNowEpoch - 3600 - 24 * 3600;
    CHECK(veto_under(claim) == "veto.claimed designated");
    claim.written_epoch -= 3;  // so far no clock is stepped: its pid was handed out again
    CHECK(veto_under(claim).empty());
    claim = older(claim_of(ClaimKind::desktop_lock, kHermesHome, 101));
    CHECK(veto_under(claim).empty());
}

TEST_CASE(
    "a home that does not answer speaks of its own members, and of any that does not say what it "
    "serves") {
    const auto veto = [](const std::string& home, const std::string& member_home, ClaimKind kind) {
        FactsBuilder builder = FactsBuilder().orphan_bridge(kPid);
        set_home(builder[kPid], member_home);
        Claim claim = claim_of(kind, home, 0);
        claim.access = Access::denied;
        builder.claim(claim);
        REQUIRE_FALSE(is_orphan(judged(builder, kPid)));
        builder.unanswered(home);
        return !is_orphan(judged(builder, kPid));
    };
    for (const ClaimKind kind :
         {ClaimKind::ledger, ClaimKind::process_registry, ClaimKind::update_marker}) {
        CHECK(veto(kHermesHome, kHome, kind));
        CHECK(veto("/mnt/x", "/mnt/x/memos-plugin", kind));
        CHECK(veto("/mnt/x/memos-plugin", "/mnt/x", kind));
        CHECK_FALSE(veto("/mnt/x", kHome, kind));
        CHECK_FALSE(veto("/mnt/x", "/mnt/xx", kind));
    }
    FactsBuilder builder = FactsBuilder().orphan_worker(kPid, 60);
    Claim claim = claim_of(ClaimKind::ledger, "/mnt/x", 0);
    claim.access = Access::denied;
    builder.claim(claim).unanswered("/mnt/x");
    builder[kPid].environment.value.clear();
    CHECK_FALSE(is_orphan(judged(builder, kPid)));
}

TEST_CASE("another user's file never affects a process") {
    for (const ClaimKind kind : {ClaimKind::gateway_pid, ClaimKind::desktop_lock, ClaimKind::ledger,
                                 ClaimKind::update_marker, ClaimKind::bridge_pid}) {
        Claim claim = claim_of(kind, kHome, kPid);
        if (kind == ClaimKind::ledger) claim.spawner = 60;
        CHECK_FALSE(veto_under(claim).empty());
        claim.owner = kUser + 1;
        CHECK(veto_under(claim).empty());
        claim.owner = 0;
        CHECK_FALSE(veto_under(claim).empty());
        claim.scope = kUser + 1;  // root's file, but among another user's
        CHECK(veto_under(claim).empty());
        claim.access = Access::denied;
        CHECK(veto_under(claim).empty());
    }
}

TEST_CASE("a headless bridge's own pid file protects none") {
    Claim claim = claim_of(ClaimKind::bridge_stdio_pid, kHome, kPid);
    CHECK(veto_under(claim).empty());
    claim.access = Access::denied;
    CHECK(veto_under(claim).empty());
}

TEST_CASE("a file of the same home that could not be read forbids") {
    for (const ClaimKind kind :
         {ClaimKind::gateway_pid, ClaimKind::desktop_lock, ClaimKind::ledger}) {
        Claim claim = claim_of(kind, kHermesHome, 0);
        claim.access = Access::denied;
        CHECK(veto_under(claim) == "veto.unreadable.claim unknown");
        claim.home = "/home/u/.herm";
        CHECK(veto_under(claim).empty() == (kind == ClaimKind::gateway_pid));
    }
}

TEST_CASE("the ledger protects as long as what started the process may be alive") {
    Claim claim = claim_of(ClaimKind::ledger, kHermesHome, kPid);
    claim.spawner = 60;
    CHECK(veto_under(claim) == "veto.unreadable.owner unknown");  // the spawner was not looked for
    claim.spawner_row.access = Access::denied;
    CHECK(veto_under(claim) == "veto.unreadable.owner unknown");
    claim.spawner_row.access = Access::gone;
    CHECK(veto_under(claim).empty());
    auto spawner = row(60, 1, "/usr/bin/python3", {"python3"});
    claim.spawner_row = reaper::scanner::Reading<reaper::scanner::ProcessRow>::of(spawner);
    CHECK(veto_under(claim) == "veto.owner attached");
    claim.spawner_start_epoch = kNowEpoch - 3600;
    CHECK(veto_under(claim) == "veto.owner attached");
    claim.spawner_start_epoch = kNowEpoch - 9000;  // its pid was handed out again
    CHECK(veto_under(claim).empty());
}

TEST_CASE("a ledger entry of an earlier process with that pid protects none") {
    Claim claim = claim_of(ClaimKind::ledger, kHermesHome, kPid);
    claim.spawner = 60;
    claim.start_epoch = kNowEpoch - 3600;
    CHECK(veto_under(claim) == "veto.unreadable.owner unknown");
    claim.start_epoch = kNowEpoch - 3500;
    CHECK(veto_under(claim).empty());
    claim.start_epoch = kNowEpoch - 3700;
    CHECK(veto_under(claim).empty());
    claim.start_epoch = std::nullopt;
    claim.pid = 101;
    CHECK(veto_under(claim).empty());
}

TEST_CASE("an update that runs forbids, and does not say what the process is") {
    Claim marker = claim_of(ClaimKind::update_marker, kHermesHome, 70);
    CHECK(veto_under(marker) == "veto.update orphan");
    marker.named.access = Access::denied;
    CHECK(veto_under(marker) == "veto.update orphan");
}

TEST_CASE("an update whose updater is gone forbids nothing") {
    Claim marker = claim_of(ClaimKind::update_marker, kHermesHome, 70);
    marker.named.access = Access::gone;
    CHECK(veto_under(marker).empty());
    marker.named.access = Access::ok;
    marker.written_epoch = kNowEpoch - 9000;  // what has the pid now began later
    CHECK(veto_under(marker).empty());
}

TEST_CASE(
    "from where not every process is seen, an updater that is gone counts for twenty minutes") {
    Claim marker = claim_of(ClaimKind::update_marker, kHermesHome, 70);
    marker.named.access = Access::gone;
    const auto runs = [&](std::uint64_t pid_namespace, bool hides, double age) {
        scanner::Machine machine = FactsBuilder().facts().machine;
        machine.pid_namespace = pid_namespace;
        machine.hides_processes = hides;
        marker.written_epoch = machine.now_epoch - age;
        return policy::is_update_running(marker, machine);
    };
    CHECK_FALSE(runs(4026531836, false, 1));
    CHECK_FALSE(runs(0, false, 1));  // a system that has no such namespaces
    CHECK(runs(4026532177, false, 1199));
    CHECK_FALSE(runs(4026532177, false, 1201));
    CHECK(runs(4026531836, true, 1199));
    CHECK_FALSE(runs(4026531836, true, 1201));
}

TEST_CASE(
    "an updater that seems to be younger than its marker counts for twenty minutes, as the clock "
    "may have been "
    "stepped") {
    Claim marker = claim_of(ClaimKind::update_marker, kHermesHome, 70);
    marker.named.value.start_ticks = kNow;
    marker.written_epoch = kNowEpoch - 1199;
    CHECK(veto_under(marker) == "veto.update orphan");
    marker.written_epoch = kNowEpoch - 1201;
    CHECK(veto_under(marker).empty());
    marker.named.value =
        row(70, 1, "/usr/bin/python3.11", {"python3", "-m", "hermes_cli.main", "update"});
    marker.written_epoch = kNowEpoch - 7200;
    CHECK(veto_under(marker) == "veto.update orphan");
    marker.named.value =
        row(70, 1, "/usr/bin/python3.11", {"python3", "-m", "hermes_cli.main", "chat"});
    CHECK(veto_under(marker).empty());
}

TEST_CASE("a marker that says nothing keeps all of its user, at any age") {
    Claim marker = claim_of(ClaimKind::update_marker, kHermesHome, 0);
    for (const double age : {1.0, 1201.0, 1e6, -1201.0}) {
        marker.written_epoch = kNowEpoch - age;
        for (const Access access : {Access::malformed, Access::denied, Access::not_read}) {
            marker.access = access;
            CHECK(veto_under(marker) == "veto.unreadable.claim unknown");
            CHECK(veto_under(marker, "/srv/elsewhere") == "veto.unreadable.claim unknown");
            CHECK(policy::is_update_running(marker, FactsBuilder().facts().machine, all_rules()));
        }
    }
    marker.access = Access::malformed;  // what a preflight calls an update: not for ever
    marker.written_epoch = kNowEpoch - 1199;
    CHECK(policy::is_update_running(marker, FactsBuilder().facts().machine));
    marker.written_epoch = kNowEpoch - 1201;
    CHECK_FALSE(policy::is_update_running(marker, FactsBuilder().facts().machine));
    marker.access = Access::gone;
    marker.written_epoch = 0;
    CHECK(veto_under(marker).empty());
}

TEST_CASE("a marker pauses everything of its user, whatever the home") {
    Claim marker = claim_of(ClaimKind::update_marker, "/srv/hermes", 70);
    CHECK(veto_under(marker) == "veto.update orphan");
    CHECK(veto_under(marker, "/srv/elsewhere") == "veto.update orphan");
    marker.scope = kUser + 1;
    CHECK(veto_under(marker).empty());
}

TEST_CASE("a file that could not be read is about its own home, and the homes below") {
    Claim claim = claim_of(ClaimKind::gateway_pid, "/srv/hermes", 0);
    claim.access = Access::denied;
    CHECK(veto_under(claim).empty());
    CHECK(veto_under(claim, "/srv/hermes") == "veto.unreadable.claim unknown");
    CHECK(veto_under(claim, "/srv/hermes/memos-plugin") == "veto.unreadable.claim unknown");
    CHECK(veto_under(claim, "/srv/hermes2/memos-plugin").empty());
    claim.home = kHermesHome;  // HERMES_HOME of the process, whose data lies elsewhere
    CHECK(veto_under(claim, "/srv/data") == "veto.unreadable.claim unknown");
}

TEST_CASE(
    "a record that cannot be read or understood could have named any process of its user, wherever "
    "its home is") {
    for (const ClaimKind kind :
         {ClaimKind::ledger, ClaimKind::headless_registry, ClaimKind::process_registry,
          ClaimKind::desktop_lock, ClaimKind::update_marker}) {
        for (const Access access : {Access::denied, Access::malformed, Access::not_read}) {
            Claim claim = claim_of(kind, kHermesHome, 0);
            claim.access = access;
            CHECK(veto_under(claim, "/srv/data/memos") == "veto.unreadable.claim unknown");
            claim.owner = claim.scope = kUser + 1;
            CHECK(veto_under(claim, "/srv/data/memos").empty());
        }
    }
}

TEST_CASE(
    "the pid file of a gateway that cannot be understood could have named what serves its home") {
    Claim claim = claim_of(ClaimKind::gateway_pid, kHermesHome, 0);
    claim.access = Access::malformed;
    CHECK(veto_under(claim) == "veto.unreadable.claim unknown");
    claim.home = "/srv/hermes";
    CHECK(veto_under(claim).empty());
}

TEST_CASE("a damaged entry among good ones hides what it could have said") {
    Claim good = claim_of(ClaimKind::ledger, kHermesHome, 101);
    good.spawner = 60;
    good.spawner_row.access = Access::gone;
    Claim damaged = claim_of(ClaimKind::ledger, kHermesHome, 0);
    damaged.access = Access::malformed;
    const FactsBuilder builder = FactsBuilder().orphan_bridge(kPid).claim(good).claim(damaged);
    const Judgement judgement = judged(builder, kPid);
    CHECK(judgement.verdict == Verdict::unknown);
    CHECK(vetoes_of(judgement) == std::vector<std::string>{"veto.unreadable.claim"});
}

TEST_CASE(
    "registries and ledgers name a process without protecting it: only what started it counts") {
    for (const ClaimKind kind :
         {ClaimKind::ledger, ClaimKind::headless_registry, ClaimKind::process_registry}) {
        Claim claim = claim_of(kind, kHermesHome, kPid);
        CHECK(veto_under(claim).empty());
        claim.spawner = 60;
        CHECK(veto_under(claim) == "veto.unreadable.owner unknown");
    }
}

}  // namespace reaper::test
