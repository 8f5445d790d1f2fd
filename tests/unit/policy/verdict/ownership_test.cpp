// What a record says started a member. stdio proves nothing here, so that the record alone decides.
#include "policy/verdict/ownership.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/policy/verdict/judged.hpp"

namespace reaper::test {

namespace {

using policy::Judgement;
using policy::OwnerSource;
using policy::Rules;
using scanner::Access;
using scanner::Claim;
using scanner::ClaimKind;
using scanner::Pid;
using scanner::ProcessRow;
using scanner::Reading;

constexpr Pid kPid = 100;
constexpr Pid kOwner = 60;

const char* const kDead = "orphan";
const char* const kAlive = "attached veto.owner";
const char* const kUnknown = "unknown veto.unreadable.owner";
const char* const kNothing = "unknown";

FactsBuilder silent_bridge() {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kPid);
    builder[kPid].standard_input = null_end();
    builder[kPid].standard_output = null_end();
    return builder;
}

// It began an hour before the bridge did, which is an hour old.
ProcessRow owner_row() {
    ProcessRow owner = row(kOwner, 1, "/usr/bin/zsh", {"zsh"});
    owner.start_ticks = kNow - 2 * kHour;
    return owner;
}

FactsBuilder unreadable(FactsBuilder builder, Pid pid) {
    return builder.unread(pid);
}

FactsBuilder beside(FactsBuilder builder, const ProcessRow& relative) {
    return builder.relative(relative);
}

std::string say(const Judgement& judgement) {
    std::string said(to_string(judgement.verdict));
    for (const std::string& code : vetoes_of(judgement)) said += " " + code;
    CHECK(has_code(judgement, "owner.dead") == (said == kDead));
    CHECK(is_orphan(judgement) == (said == kDead));
    return said;
}

std::string said_by(const OwnerSource& source, const FactsBuilder& builder) {
    const Rules rules = with_bridge_rule([&](policy::FamilyRule& rule) { rule.owners = {source}; });
    return say(judged_by(rules, builder, kPid));
}

std::string said_by_spawn_marker(const std::string& marker, const FactsBuilder& builder) {
    FactsBuilder marked = builder;
    marked[kPid].environment.value["HERMES_SPAWN"] = marker;
    return said_by({OwnerSource::From::spawn_marker, "bridge", ""}, marked);
}

std::string said_by_claim(const Claim& claim) {
    return say(judged(silent_bridge().claim(claim), kPid));
}

}  // namespace

TEST_CASE("an owner that a variable names: dead, alive, or not to be looked at") {
    const OwnerSource source{OwnerSource::From::environment, "OWNER_PID", ""};
    FactsBuilder builder = silent_bridge();
    CHECK(said_by(source, builder) == kNothing);
    builder[kPid].environment.value["OWNER_PID"] = "60";
    CHECK(said_by(source, builder) == kDead);
    CHECK(said_by(source, unreadable(builder, 61)) == kDead);
    CHECK(said_by(source, unreadable(builder, kOwner)) == kUnknown);
    FactsBuilder hidden = builder;
    hidden.machine().hides_processes = true;
    CHECK(said_by(source, hidden) == kUnknown);
    CHECK(said_by(source, beside(builder, owner_row())) == kAlive);
    for (const char* nonsense : {"", "0", "1", "-60", "60x", "0x3c", "99999999999999999999"}) {
        builder[kPid].environment.value["OWNER_PID"] = nonsense;
        CHECK(said_by(source, builder) == kNothing);
    }
}

TEST_CASE("what an owner's record says of an orphan outweighs its dead stdio") {
    const Rules rules = with_bridge_rule([](policy::FamilyRule& rule) {
        rule.owners = {{OwnerSource::From::environment, "OWNER_PID", ""}};
    });
    FactsBuilder builder = FactsBuilder().orphan_bridge(kPid);
    builder[kPid].environment.value["OWNER_PID"] = "60";
    REQUIRE(is_orphan(judged_by(rules, builder, kPid)));
    CHECK(say(judged_by(rules, unreadable(builder, kOwner), kPid)) == kUnknown);
    CHECK(say(judged_by(rules, beside(builder, owner_row()), kPid)) == kAlive);
}

TEST_CASE("a process with the owner's pid that began after the member did is not its owner") {
    const OwnerSource source{OwnerSource::From::environment, "OWNER_PID", ""};
    FactsBuilder builder = silent_bridge();
    builder[kPid].environment.value["OWNER_PID"] = "60";
    ProcessRow other = owner_row();
    other.start_ticks = kNow - kHour;  // the same tick
    CHECK(said_by(source, beside(builder, other)) == kAlive);
    other.start_ticks = kNow - kHour + 1;
    CHECK(said_by(source, beside(builder, other)) == kDead);
}

TEST_CASE("an owner that is dead, and was not cleared away yet, is dead") {
    const OwnerSource source{OwnerSource::From::environment, "OWNER_PID", ""};
    FactsBuilder builder = silent_bridge();
    builder[kPid].environment.value["OWNER_PID"] = "60";
    ProcessRow zombie = owner_row();
    zombie.state = 'Z';
    CHECK(said_by(source, beside(builder, zombie)) == kDead);
    zombie.threads = 2;  // its main thread has ended, the others go on
    CHECK(said_by(source, beside(builder, zombie)) == kAlive);
    Claim claim = claim_of(ClaimKind::ledger, kHermesHome, kPid);
    claim.spawner = kOwner;
    claim.spawner_start_epoch = kNowEpoch - 2.0 * 3600;
    claim.spawner_row = Reading<ProcessRow>::of(owner_row());
    CHECK(said_by_claim(claim) == kAlive);
    claim.spawner_row.value.state = 'Z';
    CHECK(said_by_claim(claim) == kDead);
}

TEST_CASE(
    "an option that records the owner's start tells the owner from a later process with its pid") {
    const OwnerSource source{OwnerSource::From::option, "--owner", "--owner-start"};
    const auto said = [&](const std::string& time) {
        FactsBuilder builder = silent_bridge().relative(owner_row());
        add_argument(builder[kPid], "--owner=60");
        if (!time.empty()) add_argument(builder[kPid], "--owner-start=" + time);
        return said_by(source, builder);
    };
    CHECK(said("1799992800") == kAlive);
    CHECK(said("1799992801.75") == kAlive);  // clocks are stepped and rounded
    CHECK(said("1799992797") ==
          kNothing);  // or stepped further: what has the pid is older than the member
    CHECK(said("1799992802.01") == kNothing);
    CHECK(said("1799992801.99") == kAlive);
    CHECK(said("1799992797.") == kNothing);
    CHECK(said("1799992803") == kNothing);
    for (const char* nonsense : {"", "-", "0", "-5", "nan", "inf", "1799992797x", "1799992797.x",
                                 "1799992797.1.", " 1799992797", "18e8"})
        CHECK(said(nonsense) == kAlive);
}

TEST_CASE("HERMES_SPAWN counts only when it gives the purpose of the family") {
    const FactsBuilder gone = silent_bridge();
    const FactsBuilder lives = silent_bridge().relative(owner_row());
    CHECK(said_by_spawn_marker("v1:ab12:bridge:60:-", gone) == kDead);
    CHECK(said_by_spawn_marker("v1:ab12:bridge:60:-", lives) == kAlive);
    CHECK(said_by_spawn_marker("v1:ab12:bridge:60:1799992800", lives) == kAlive);
    CHECK(said_by_spawn_marker("v1:ab12:bridge:60:1799990000", lives) == kNothing);
    for (const char* other :
         {"v1:ab12:gateway:60:-", "v1:ab12::60:-", "v2:ab12:bridge:60:-", "v1:ab12:bridge:60",
          "v1:ab12:bridge:60:-:x", "v1:ab12:bridge:1:-", "v1:ab12:bridge:x:-", "", "bridge",
          ":::::", "v1:ab12:bridges:60:-"}) {
        CHECK(said_by_spawn_marker(other, gone) == kNothing);
        CHECK(said_by_spawn_marker(other, lives) == kNothing);
    }
}

TEST_CASE("an environment that could not be read names no owner") {
    FactsBuilder builder = silent_bridge();
    builder[kPid].environment.value["OWNER_PID"] = "60";
    builder[kPid].environment.access = Access::denied;
    CHECK(said_by({OwnerSource::From::environment, "OWNER_PID", ""}, builder)
              .find("veto.unreadable.environment") != std::string::npos);
}

TEST_CASE("an owner that is the living host itself yields nothing, so duplicates stay duplicates") {
    FactsBuilder builder = FactsBuilder().orphan_worker(kPid, kHost).orphan_worker(200, kHost);
    for (const Pid pid : {kPid, 200}) {
        builder[pid].row.ppid = kHost;
        builder[pid].standard_input = live_end();
        builder[pid].standard_output = live_end();
    }
    CHECK(judged(builder, kPid).verdict == policy::Verdict::duplicate);
    CHECK(vetoes_of(judged(builder, 200)) == std::vector<std::string>{"veto.live_host"});
    builder[kPid].row.ppid = kOwner;
    builder.relative(owner_row());
    CHECK(has_code(judged(builder, kPid), "veto.owner"));
}

TEST_CASE("the owner of a launched bridge is the host of its launcher") {
    const Rules rules = with_bridge_rule([](policy::FamilyRule& rule) {
        rule.owners = {{OwnerSource::From::environment, "OWNER_PID", ""}};
    });
    FactsBuilder builder = FactsBuilder().orphan_pair(kPid, 110);
    builder[kPid].row.ppid = kHost;
    for (const Pid pid : {kPid, 110}) builder[pid].environment.value["OWNER_PID"] = "50";
    CHECK(judged_by(rules, builder, 110).verdict == policy::Verdict::abandoned);
    CHECK(vetoes_of(judged_by(rules, builder, 110)).empty());
}

TEST_CASE(
    "a parent that passes for an adopter, but is the recorded owner, contradicts: it is kept") {
    FactsBuilder builder = FactsBuilder().orphan_worker(kPid, kOwner).relative(owner_row());
    builder[kPid].row.ppid = kOwner;
    builder[kPid].row.session =
        41;  // its founder is gone, and one below the owner may have been it
    const Judgement judgement = judged(builder, kPid);
    REQUIRE(has_code(judgement, "parent.adopter"));
    CHECK(vetoes_of(judgement) == std::vector<std::string>{"veto.owner"});
    CHECK(judgement.verdict == policy::Verdict::attached);
    CHECK(planned(builder).empty());
    FactsBuilder control = FactsBuilder().orphan_worker(kPid, kGonePid).relative(owner_row());
    control[kPid].row.ppid = kOwner;
    control[kPid].row.session = 41;
    CHECK(is_orphan(judged(control, kPid)));
}

TEST_CASE("files that record what started a process prove its death as well as its life") {
    for (const ClaimKind kind :
         {ClaimKind::ledger, ClaimKind::headless_registry, ClaimKind::process_registry}) {
        Claim claim = claim_of(kind, kHermesHome, kPid);
        CHECK(said_by_claim(claim) == kNothing);  // no spawner
        claim.spawner = kOwner;
        CHECK(said_by_claim(claim) == kUnknown);
        claim.spawner_row.access = Access::gone;
        CHECK(said_by_claim(claim) == kDead);
        claim.spawner_row = Reading<ProcessRow>::of(owner_row());
        CHECK(said_by_claim(claim) == kAlive);
    }
}

TEST_CASE("a clock that was stepped makes no owner dead") {
    Claim claim = claim_of(ClaimKind::ledger, kHermesHome, kPid);
    claim.spawner = kOwner;
    claim.spawner_row = Reading<ProcessRow>::of(owner_row());
    claim.spawner_start_epoch = kNowEpoch - 7200 - 3600;
    CHECK(said_by_claim(claim) == kNothing);
    claim.spawner_row.value.start_ticks = kNow - kHour + 1;  // after the member
    CHECK(said_by_claim(claim) == kDead);
    claim.spawner_start_epoch = kNowEpoch - 3600;  // as its own start says
    CHECK(said_by_claim(claim) == kAlive);
}

TEST_CASE(
    "a record whose member began at another time by the wall clock protects, and proves no death") {
    constexpr double kStep = 3600;
    for (const ClaimKind kind : {ClaimKind::ledger, ClaimKind::headless_registry}) {
        Claim claim = claim_of(kind, kHermesHome, kPid);
        claim.start_epoch = kNowEpoch - 3600 - kStep;
        claim.written_epoch = kNowEpoch - kStep;
        claim.spawner = kOwner;
        claim.spawner_row = Reading<ProcessRow>::of(owner_row());
        CHECK(said_by_claim(claim) == kAlive);
        claim.spawner_start_epoch = kNowEpoch - 7200 - kStep;  // shifted alike
        CHECK(said_by_claim(claim) == kAlive);
        claim.spawner_start_epoch = kNowEpoch - 7200;  // of an earlier process with that pid
        CHECK(said_by_claim(claim) == kNothing);
        claim.spawner_row = Reading<ProcessRow>::failed(Access::gone);
        CHECK(said_by_claim(claim) == kNothing);
        claim.start_epoch.reset();  // only the file is older than the member
        claim.written_epoch = kNowEpoch - 3603;
        claim.spawner_start_epoch.reset();
        CHECK(said_by_claim(claim) == kNothing);
        claim.spawner_row = Reading<ProcessRow>::of(owner_row());
        CHECK(said_by_claim(claim) == kAlive);
        claim.start_ticks = kNow - kHour - 1;
        CHECK(said_by_claim(claim) == kNothing);
    }
}

TEST_CASE("a recorded start in ticks tells the owner for certain") {
    Claim claim = claim_of(ClaimKind::process_registry, kHermesHome, kPid);
    claim.spawner = kOwner;
    claim.spawner_row = Reading<ProcessRow>::of(owner_row());
    claim.spawner_start_ticks = owner_row().start_ticks;
    CHECK(said_by_claim(claim) == kAlive);
    claim.spawner_start_ticks = owner_row().start_ticks - 1;
    CHECK(said_by_claim(claim) == kDead);
}

TEST_CASE("a record without a start is about no process that began after it was written") {
    for (const ClaimKind kind :
         {ClaimKind::ledger, ClaimKind::headless_registry, ClaimKind::process_registry}) {
        Claim claim = claim_of(kind, kHermesHome, kPid);
        claim.spawner = kOwner;
        claim.spawner_row.access = Access::gone;
        claim.written_epoch = kNowEpoch - 3601;  // clocks are rounded
        CHECK(said_by_claim(claim) == kDead);
        claim.written_epoch = kNowEpoch - 3603;
        CHECK(said_by_claim(claim) == kNothing);
        claim.start_ticks = kNow - kHour;
        CHECK(said_by_claim(claim) == kDead);
        claim.start_ticks = std::nullopt;
        claim.start_epoch = kNowEpoch - 3600;
        CHECK(said_by_claim(claim) == kDead);
    }
}

TEST_CASE("a spawner that is not seen under hidepid may be alive") {
    Claim claim = claim_of(ClaimKind::ledger, kHermesHome, kPid);
    claim.spawner = kOwner;
    claim.spawner_row.access = Access::gone;
    FactsBuilder builder = silent_bridge().claim(claim);
    REQUIRE(say(judged(builder, kPid)) == kDead);
    builder.machine().hides_processes = true;
    CHECK(say(judged(builder, kPid)) == kUnknown);
}

TEST_CASE("a record of another process or of another user says nothing of an owner") {
    Claim claim = claim_of(ClaimKind::ledger, kHermesHome, kPid);
    claim.spawner = kOwner;
    claim.spawner_row.access = Access::gone;
    REQUIRE(said_by_claim(claim) == kDead);
    void (*const changes[])(Claim&) = {
        [](Claim& file) { file.pid = 101; },
        [](Claim& file) { file.start_ticks = kNow - kHour - 1; },
        [](Claim& file) { file.start_epoch = kNowEpoch - 3500; },
        [](Claim& file) { file.owner = kUser + 1; },
        [](Claim& file) { file.scope = kUser + 1; },
        [](Claim& file) { file.spawner = 1; },
        [](Claim& file) { file.spawner = -1; },
    };
    for (const auto& change : changes) {
        Claim changed = claim;
        change(changed);
        CHECK(said_by_claim(changed) == kNothing);
    }
}

TEST_CASE("what the scanner has to look up") {
    const Rules rules = with_bridge_rule([](policy::FamilyRule& rule) {
        rule.owners = {{OwnerSource::From::option, "--owner", ""},
                       {OwnerSource::From::environment, "OWNER_PID", ""},
                       {OwnerSource::From::spawn_marker, "bridge", ""}};
    });
    FactsBuilder builder = silent_bridge();
    add_argument(builder[kPid], "--owner=61");
    builder[kPid].environment.value["OWNER_PID"] = "62";
    builder[kPid].environment.value["HERMES_SPAWN"] = "v1:x:bridge:63:-";
    const auto match = policy::match(rules, builder[kPid].row);
    REQUIRE(match.has_value());
    CHECK(policy::named_owners(*match, builder[kPid]) == std::vector<Pid>{61, 62, 63});
}

}  // namespace reaper::test
