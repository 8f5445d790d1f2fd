// What the facts of a Mac prove: the process that started a helper, as the kernel remembers it, and
// the vetoes that are others there.
#include "policy/pid_files/judge_files.hpp"
#include "policy/verdict/claim_vetoes.hpp"
#include "policy/verdict/reason.hpp"
#include "policy/verdict/vetoes.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/policy/verdict/judged.hpp"

namespace reaper::test {

namespace {

using policy::Action;
using policy::Judgement;
using policy::Verdict;
using scanner::Access;
using scanner::FirstParent;
using scanner::Pid;
using scanner::Reading;
using Codes = std::vector<std::string>;

constexpr Pid kPid = 100;

FactsBuilder orphan_on_mac(FirstParent first = FirstParent::dead) {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kPid).on_mac();
    builder[kPid].first_parent = first;
    return builder;
}

// A worker that names the process that started it, which is gone, and has no stdio.
FactsBuilder recorded_orphan_on_mac(FirstParent first) {
    FactsBuilder builder = FactsBuilder().orphan_worker(kPid, kGonePid).on_mac();
    builder[kPid].first_parent = first;
    builder[kPid].standard_input = builder[kPid].standard_output = null_end();
    return builder;
}

// A daemon in whose place another one has the port.
FactsBuilder superseded_on_mac(FirstParent first) {
    FactsBuilder builder = FactsBuilder().daemon(kPid).listening_daemon(200).on_mac();
    builder[kPid].first_parent = first;
    return builder;
}

std::string detail_of(const Judgement& judgement, std::string_view code) {
    for (const policy::Evidence& piece : judgement.evidence) {
        if (piece.code == code) return piece.detail;
    }
    return {};
}

}  // namespace

TEST_CASE("a first parent that is dead proves that launchd has only adopted") {
    const Judgement judgement = judged(orphan_on_mac(), kPid);
    CHECK(is_orphan(judgement));
    CHECK(detail_of(judgement, "parent.adopter") == "parent is launchd (pid 1)");
    CHECK(detail_of(judgement, "parent.dead") == "the process that started it has ended");
    CHECK(policy::why(judgement) ==
          "parent is launchd (pid 1); nothing can write to its stdin any more; nothing can read "
          "its stdout any more");
    CHECK(is_orphan(judged(recorded_orphan_on_mac(FirstParent::dead), kPid)));
    CHECK(judged(superseded_on_mac(FirstParent::dead), kPid).verdict == Verdict::superseded);
}

TEST_CASE("a dead first parent alone ends nothing, as on Linux") {
    FactsBuilder builder = orphan_on_mac();
    builder[kPid].standard_input = builder[kPid].standard_output = null_end();
    Judgement judgement = judged(builder, kPid);
    CHECK(judgement.verdict == Verdict::unknown);
    CHECK(judgement.action == Action::report);
    CHECK(has_code(judgement, "parent.dead"));
    CHECK(has_code(judgement, "no_proof"));
    builder[kPid].standard_output = live_end();
    judgement = judged(builder, kPid);
    CHECK(judgement.verdict == Verdict::held);
    CHECK(judgement.action == Action::report);
}

TEST_CASE("what launchd started itself is its job, whatever its stdio says") {
    for (const bool young : {false, true}) {
        FactsBuilder builder = orphan_on_mac(FirstParent::launchd);
        if (young) set_start(builder[kPid], kNow);
        const Judgement judgement = judged(builder, kPid);
        CHECK(judgement.verdict == Verdict::supervised);
        CHECK(judgement.action == Action::keep);
        CHECK(vetoes_of(judgement) == Codes{"veto.supervised"});
        CHECK_FALSE(has_code(judgement, "parent.adopter"));
        CHECK(policy::why(judgement) == "launchd (pid 1) started it as a job of its own");
    }
    for (const FactsBuilder& builder :
         {recorded_orphan_on_mac(FirstParent::launchd), superseded_on_mac(FirstParent::launchd)}) {
        CHECK(judged(builder, kPid).verdict == Verdict::supervised);
        CHECK(planned(builder, also({Verdict::held, Verdict::abandoned})).empty());
    }
}

TEST_CASE("the label of a job is told, and vetoes once") {
    FactsBuilder builder = orphan_on_mac(FirstParent::launchd);
    builder[kPid].unit =
        Reading<scanner::ServiceUnit>::of({"ai.hermes.gateway", false, kPid, true, 0});
    const Judgement judgement = judged(builder, kPid);
    CHECK(judgement.verdict == Verdict::supervised);
    CHECK(vetoes_of(judgement) == Codes{"veto.supervised"});
    CHECK(policy::why(judgement) ==
          "launchd (pid 1) started it as a job of its own (ai.hermes.gateway)");
}

TEST_CASE("a macOS that does not tell jobs from orphans keeps both") {
    const Judgement judgement = judged(orphan_on_mac(FirstParent::launchd_or_orphan), kPid);
    CHECK(judgement.verdict == Verdict::supervised);
    CHECK(judgement.action == Action::keep);
    CHECK(vetoes_of(judgement) == Codes{"veto.supervised"});
    CHECK(policy::why(judgement).ends_with("this version of macOS does not tell"));
}

TEST_CASE("an orphan that has run another program since needs dead stdio as proof") {
    const FirstParent first = FirstParent::orphan_that_executed;
    FactsBuilder builder = orphan_on_mac(first);
    const Judgement judgement = judged(builder, kPid);
    CHECK(is_orphan(judgement));
    CHECK(has_code(judgement, "parent.adopter"));
    CHECK_FALSE(has_code(judgement, "parent.dead"));
    for (auto* end : {&builder[kPid].standard_input, &builder[kPid].standard_output}) {
        const auto before = *end;
        for (const auto& other : {null_end(), live_end()}) {
            *end = other;
            CHECK(judged(builder, kPid).verdict == Verdict::unknown);
            CHECK(vetoes_of(judged(builder, kPid)) == Codes{"veto.may_be_job"});
            CHECK(planned(builder, also({Verdict::held})).empty());
        }
        *end = before;
    }
    const Judgement recorded = judged(recorded_orphan_on_mac(first), kPid);
    CHECK(recorded.verdict == Verdict::unknown);
    CHECK(recorded.action == Action::report);
    CHECK(has_code(recorded, "owner.dead"));
    CHECK(judged(superseded_on_mac(first), kPid).verdict == Verdict::unknown);
    CHECK(planned(superseded_on_mac(first)).empty());
}

TEST_CASE("what started it is not known, or alive: nothing is proven") {
    for (const FirstParent first : {FirstParent::not_told, FirstParent::alive}) {
        for (const FactsBuilder& builder :
             {orphan_on_mac(first), recorded_orphan_on_mac(first), superseded_on_mac(first)}) {
            const Judgement judgement = judged(builder, kPid);
            CHECK(judgement.verdict == Verdict::unknown);
            CHECK(judgement.action == Action::report);
            CHECK(vetoes_of(judgement) == Codes{"veto.unreadable.parent"});
        }
    }
    FactsBuilder builder = orphan_on_mac();
    builder.first_process().pid = 2;  // launchd was not read
    CHECK(vetoes_of(judged(builder, kPid)) == Codes{"veto.unreadable.parent"});
}

TEST_CASE("on a Mac only launchd adopts: starts and sessions prove nothing") {
    for (const bool mac : {false, true}) {
        for (const bool younger : {false, true}) {
            scanner::ProcessRow parent = row(60, 1, "/bin/zsh", {"zsh"});
            if (younger)
                parent.start_ticks = kNow;  // after the clock was stepped back
            else
                parent.session = 41;
            FactsBuilder builder = FactsBuilder().orphan_bridge(kPid).relative(parent);
            builder[kPid].row.ppid = 60;
            if (mac) builder.on_mac();
            const Judgement judgement = judged(builder, kPid);
            CHECK(judgement.verdict == (mac ? Verdict::abandoned : Verdict::orphan));
            CHECK(planned(builder).empty() == mac);
        }
    }
}

TEST_CASE("a wrapper that launchd has adopted may be a job of it") {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kPid).wrapper(
        row(60, 1, "/usr/bin/timeout", {"timeout", "9", "node"}));
    builder[kPid].row.ppid = 60;
    REQUIRE(is_orphan(judged(builder, kPid)));
    CHECK(judged(builder.on_mac(), kPid).verdict == Verdict::abandoned);
    CHECK(planned(builder).empty());
}

TEST_CASE("a launcher and what it runs have one first parent: that of the launcher") {
    FactsBuilder builder = FactsBuilder().orphan_pair(kPid, 101).on_mac();
    builder[101].first_parent = FirstParent::alive;  // the launcher
    CHECK(is_orphan(judged(builder, kPid)));
    CHECK(is_orphan(judged(builder, 101)));
    builder[kPid].first_parent = FirstParent::launchd;
    CHECK(judged(builder, 101).verdict == Verdict::supervised);
    CHECK(planned(builder).empty());
}

TEST_CASE("a hidden environment could not be read") {
    FactsBuilder builder = orphan_on_mac();
    builder[kPid].environment = {Access::denied, {}};
    const Judgement judgement = judged(builder, kPid);
    CHECK(judgement.verdict == Verdict::unknown);
    CHECK(judgement.action == Action::report);
    CHECK(vetoes_of(judgement) == Codes{"veto.unreadable.environment", "veto.home"});
}

TEST_CASE("on a Mac a process without its unique id or its version is not established") {
    FactsBuilder builder = orphan_on_mac();
    builder[kPid].identity.exec_version.reset();
    CHECK(vetoes_of(judged(builder, kPid)) == Codes{"veto.identity"});
    builder = orphan_on_mac();
    builder[kPid].identity.pidfs_inode.reset();
    CHECK(vetoes_of(judged(builder, kPid)) == Codes{"veto.identity"});
    builder = FactsBuilder().orphan_bridge(kPid);
    builder[kPid].identity.pidfs_inode.reset();
    CHECK(is_orphan(judged(builder, kPid)));
}

TEST_CASE("a tracer that is not known keeps, too") {
    FactsBuilder builder = orphan_on_mac();
    builder[kPid].tracer.value = -1;
    const Judgement judgement = judged(builder, kPid);
    CHECK(judgement.verdict == Verdict::attached);
    CHECK(detail_of(judgement, "veto.traced") == "another process traces it");
    builder[kPid].tracer.value = 7;
    CHECK(detail_of(judged(builder, kPid), "veto.traced") == "pid 7 traces it");
}

TEST_CASE("a macOS that cannot signal exactly one process ends nothing, and says why") {
    FactsBuilder builder = orphan_on_mac();
    builder.machine().has_handles = false;
    const Judgement judgement = judged(builder, kPid);
    CHECK(judgement.verdict == Verdict::unknown);
    CHECK(detail_of(judgement, "veto.no_handles") ==
          "this version of macOS cannot signal exactly one process (14.2 can)");
}

TEST_CASE("an owner whose pid another process has is dead on a Mac if the recorded start says so") {
    for (const bool mac : {false, true}) {
        FactsBuilder builder = FactsBuilder().orphan_worker(kPid, 60);
        builder[kPid].standard_input = builder[kPid].standard_output = null_end();
        scanner::ProcessRow other = row(60, 1, "/bin/zsh", {"zsh"});
        other.start_ticks = kNow - 1000;
        builder.relative(other);
        if (mac) builder.on_mac();
        CHECK(is_orphan(judged(builder, kPid)) == !mac);
        CHECK(has_code(judged(builder, kPid), "owner.dead") == !mac);
    }
}

TEST_CASE("a Mac has no pid namespace in which an update could be hidden") {
    scanner::Claim marker = claim_of(scanner::ClaimKind::update_marker, kHermesHome, kGonePid);
    marker.named = Reading<scanner::ProcessRow>::failed(Access::gone);
    scanner::Machine machine = orphan_on_mac().machine();
    CHECK_FALSE(policy::is_update_running(marker, machine));
    machine.os = "linux";
    CHECK(policy::is_update_running(marker, machine));
}

TEST_CASE("a file whose start is in ticks is one of a Linux: a container's of a Mac") {
    scanner::ClaimFile file;
    file.kind = scanner::ClaimKind::bridge_pid;
    file.home = kHome;
    file.found = true;
    file.stamp.owner = file.scope = kUser;
    file.claims = {claim_of(file.kind, kHome, kGonePid)};
    file.claims.front().named = Reading<scanner::ProcessRow>::failed(Access::gone);
    const auto code = [&](const scanner::Machine& machine) {
        const auto judgement = policy::judge_file(file, machine, policy::built_in_rules());
        CHECK(judgement.remove == (judgement.state == policy::FileState::stale));
        return judgement.evidence.front().code;
    };
    const scanner::Machine mac = orphan_on_mac().machine();
    const scanner::Machine linux_machine = FactsBuilder().machine();
    CHECK(code(mac) == "pid.gone");
    file.claims.front().start_ticks = 70;
    CHECK(code(mac) == "pid.other_system");
    CHECK(code(linux_machine) == "pid.gone");
}

TEST_CASE("a recorded spawner in ticks proves no death on a Mac") {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kPid);
    builder[kPid].standard_input = builder[kPid].standard_output = null_end();
    scanner::Claim claim = claim_of(scanner::ClaimKind::process_registry, kHermesHome, kPid);
    claim.spawner = 60;
    claim.spawner_row = Reading<scanner::ProcessRow>::of(row(60, 1, "/bin/zsh", {"zsh"}));
    claim.spawner_start_ticks = 5;
    builder.claim(claim);
    CHECK(has_code(judged(builder, kPid), "owner.dead"));
    CHECK_FALSE(has_code(judged(builder.on_mac(), kPid), "owner.dead"));
}

}  // namespace reaper::test
