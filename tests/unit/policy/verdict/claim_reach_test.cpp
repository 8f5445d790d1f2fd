// How far a file of claims reaches: which processes it can be about, and for how long.
#include "policy/verdict/claim_vetoes.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/policy/verdict/judged.hpp"

namespace reaper::test {

namespace {

using policy::Judgement;
using policy::Verdict;
using scanner::Access;
using scanner::Claim;
using scanner::ClaimKind;
using scanner::Pid;
using scanner::ProcessRow;
using scanner::Reading;

constexpr Pid kPid = 100;
constexpr Pid kOwner = 60;
const std::string kSilent = "/mnt/silent";
const std::string kSockets = "/tmp/agent-browser-hermes";

ProcessRow owner_row() {
    ProcessRow owner = row(kOwner, 1, "/usr/bin/zsh", {"zsh"});
    owner.start_ticks = kNow - 2 * kHour;
    return owner;
}

// A browser that agents drive, of which no file says that Hermes started it.
FactsBuilder browser() {
    FactsBuilder builder;
    builder.orphan(
        row(kPid, 1, "/usr/bin/chromium",
            {"chromium", "--headless=new", "--user-data-dir=/tmp/agent-browser-chrome-1"}));
    builder[kPid].environment.value["AGENT_BROWSER_SOCKET_DIR"] = kSockets;
    return builder;
}

FactsBuilder recorded_browser() {
    Claim claim = claim_of(ClaimKind::browser_owner, kSockets, 0);
    claim.spawner = kOwner;
    claim.spawner_row.access = Access::gone;
    return browser().claim(claim);
}

// A record in a home whose file system does not answer.
FactsBuilder beside_silent_home(FactsBuilder builder) {
    Claim claim = claim_of(ClaimKind::ledger, kSilent, 0);
    claim.access = Access::denied;
    return builder.claim(claim).unanswered(kSilent);
}

bool is_kept_by_claim(const FactsBuilder& builder) {
    return has_code(judged_by(all_rules(), builder, kPid), "veto.unreadable.claim");
}

}  // namespace

TEST_CASE("a home that does not answer may have the record of a process that needs one") {
    REQUIRE(judged_by(all_rules(), recorded_browser(), kPid).verdict == Verdict::orphan);
    CHECK(is_kept_by_claim(beside_silent_home(recorded_browser())));
}

TEST_CASE("a home that does not answer may be that of a process which names none") {
    FactsBuilder nameless = FactsBuilder().orphan_worker(kPid, kGonePid);
    nameless[kPid].environment.value.clear();
    CHECK(is_kept_by_claim(beside_silent_home(nameless)));
    FactsBuilder unreadable = FactsBuilder().orphan_bridge(kPid);
    unreadable[kPid].environment.access = Access::denied;
    CHECK(is_kept_by_claim(beside_silent_home(unreadable)));
}

TEST_CASE("a home that does not answer is not that of a process which names another") {
    FactsBuilder by_option = FactsBuilder().orphan_bridge(kPid);
    by_option[kPid].environment.value.erase("HERMES_HOME");
    CHECK(is_orphan(judged(beside_silent_home(by_option), kPid)));
    CHECK(is_orphan(judged(beside_silent_home(FactsBuilder().orphan_bridge(kPid)), kPid)));
}

TEST_CASE("a browser without a record is that of another product, whatever other records say") {
    const auto is_foreign = [](const FactsBuilder& builder) {
        const Judgement judgement = judged_by(all_rules(), builder, kPid);
        return judgement.verdict == Verdict::foreign && has_code(judgement, "veto.unrecorded");
    };
    CHECK(is_foreign(browser()));
    Claim claim = claim_of(ClaimKind::ledger, kHermesHome, kPid + 1);
    CHECK(is_foreign(browser().claim(claim)));
    claim.access = Access::denied;  // could have named it
    CHECK_FALSE(is_foreign(browser().claim(claim)));
    claim.owner = claim.scope = kUser + 1;
    CHECK(is_foreign(browser().claim(claim)));
    claim = claim_of(ClaimKind::bridge_pid, kHermesHome, 0);
    claim.access = Access::denied;
    CHECK(is_foreign(browser().claim(claim)));
}

TEST_CASE("an updater that is not seen counts for less than twenty minutes") {
    Claim marker = claim_of(ClaimKind::update_marker, kHermesHome, 70);
    marker.named.access = Access::gone;
    scanner::Machine machine = FactsBuilder().facts().machine;
    machine.hides_processes = true;
    marker.written_epoch = machine.now_epoch - 1199.5;
    CHECK(policy::is_update_running(marker, machine));
    marker.written_epoch = machine.now_epoch - 1200;
    CHECK_FALSE(policy::is_update_running(marker, machine));
}

TEST_CASE("a marker that may not be read is an update at any age") {
    Claim marker = claim_of(ClaimKind::update_marker, kHermesHome, 0);
    marker.access = Access::denied;
    marker.written_epoch = kNowEpoch - 1e6;
    CHECK(policy::is_update_running(marker, FactsBuilder().facts().machine));
}

TEST_CASE("a marker that was removed is no update, whatever the process runs that it named") {
    const scanner::Machine machine = FactsBuilder().facts().machine;
    Claim marker = claim_of(ClaimKind::update_marker, kHermesHome, 70);
    marker.written_epoch = kNowEpoch - 7200;
    marker.named.value =
        row(70, 1, "/usr/bin/python3.11", {"python3", "-m", "hermes_cli.main", "update"});
    REQUIRE(policy::is_update_running(marker, machine, all_rules()));
    marker.access = Access::gone;
    CHECK_FALSE(policy::is_update_running(marker, machine, all_rules()));
    marker.access = Access::ok;
    marker.named.access = Access::gone;
    CHECK_FALSE(policy::is_update_running(marker, machine, all_rules()));
}

TEST_CASE("a record of an earlier process with this pid still protects by the owner's own start") {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kPid);
    Claim claim = claim_of(ClaimKind::ledger, kHermesHome, kPid);
    claim.written_epoch = kNowEpoch - 3603;  // before the member began
    claim.spawner = kOwner;
    claim.spawner_row = Reading<ProcessRow>::of(owner_row());
    claim.spawner_start_epoch = kNowEpoch - 7200;
    CHECK(vetoes_of(judged(builder.claim(claim), kPid)) == std::vector<std::string>{"veto.owner"});
}

}  // namespace reaper::test
