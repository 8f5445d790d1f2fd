// The mark of `run`: what it says, and what that proves. stdio proves nothing here, so that the
// mark alone decides.
#include "policy/rules/run_mark.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/policy/verdict/judged.hpp"

namespace reaper::test {

namespace {

using policy::kRunMark;
using policy::read_run_mark;
using policy::run_mark;
using scanner::Identity;
using scanner::Pid;
using scanner::ProcessRow;

constexpr Pid kPid = 100;
constexpr Pid kOwner = 60;
constexpr std::uint64_t kStart = kNow - 2 * kHour;

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

ProcessRow owner_row(std::uint64_t start_ticks = kStart) {
    ProcessRow owner = row(kOwner, 1, "/usr/bin/zsh", {"zsh"});
    owner.start_ticks = start_ticks;
    return owner;
}

Identity host_of(FactsBuilder& builder) {
    return {builder.machine().boot_id, builder.machine().pid_namespace, kOwner, kStart,
            std::nullopt};
}

std::string said_by(const std::string& mark, FactsBuilder builder) {
    builder[kPid].environment.value[std::string(kRunMark)] = mark;
    const auto judgement = judged(builder, kPid);
    std::string said(to_string(judgement.verdict));
    for (const std::string& code : vetoes_of(judgement)) said += " " + code;
    CHECK(has_code(judgement, "owner.dead") == (said == kDead));
    CHECK(is_orphan(judgement) == (said == kDead));
    return said;
}

std::string said_by_host(const FactsBuilder& builder) {
    FactsBuilder marked = builder;
    return said_by(run_mark(host_of(marked)), marked);
}

}  // namespace

TEST_CASE("a mark reads as it was written") {
    const Identity host{"0b1e6a3c-1d2f-4a5b-8c9d-0123456789ab", 4026531836, 4711, 123456,
                        std::nullopt};
    CHECK(run_mark(host) == "v1:0b1e6a3c-1d2f-4a5b-8c9d-0123456789ab:4026531836:4711:123456");
    CHECK(read_run_mark(run_mark(host)) == host);
}

TEST_CASE("what is no mark of this version says nothing") {
    for (const char* text : {"", "v1", "v1:b:1:2", "v1:b:1:2:3:4", "v2:b:1:2:3", "v1::1:2:3",
                             "v1:b:x:2:3", "v1:b:1:0:3", "v1:b:1:-2:3", "v1:b:1:2:-3",
                             "v1:b:1:2:", "v1:b:1:2:3x", "v1:b:1:99999999999:3"}) {
        INFO(text);
        CHECK_FALSE(read_run_mark(text));
        CHECK(said_by(text, silent_bridge()) == kNothing);
    }
}

TEST_CASE(
    "a host that `run` marked: alive it protects, dead it proves, and unseen it does neither") {
    CHECK(said_by_host(silent_bridge().relative(owner_row())) == kAlive);
    CHECK(said_by_host(silent_bridge()) == kDead);
    CHECK(said_by_host(silent_bridge().unread(kOwner)) == kUnknown);
    FactsBuilder hidden = silent_bridge();
    hidden.machine().hides_processes = true;
    CHECK(said_by_host(hidden) == kUnknown);
}

TEST_CASE("a dead host that was not cleared away is dead") {
    ProcessRow zombie = owner_row();
    zombie.state = 'Z';
    CHECK(said_by_host(silent_bridge().relative(zombie)) == kDead);
    zombie.threads = 2;
    CHECK(said_by_host(silent_bridge().relative(zombie)) == kAlive);
}

TEST_CASE("another process with the pid of the host is told by the ticks") {
    CHECK(said_by_host(silent_bridge().relative(owner_row(kStart + 1))) == kDead);
    // Before the host: not by this clock.
    CHECK(said_by_host(silent_bridge().relative(owner_row(kStart - 1))) == kNothing);
}

TEST_CASE("a mark of another boot or pid namespace was copied, and says nothing") {
    FactsBuilder builder = silent_bridge();
    Identity host = host_of(builder);
    host.boot_id = "another";
    CHECK(said_by(run_mark(host), builder) == kNothing);
    host = host_of(builder);
    ++host.pid_namespace;
    CHECK(said_by(run_mark(host), builder) == kNothing);
}

TEST_CASE(
    "behind the guard of a `run` stands the host that it acts for: two bridges of that one are "
    "duplicates") {
    constexpr Pid kOlder = 200;
    FactsBuilder builder = FactsBuilder().relative(owner_row());
    for (const Pid bridge : {kPid, kOlder}) {
        builder.attached_bridge(bridge, kHost);
        ProcessRow guard = row(bridge + 1, 1, "/usr/bin/orphan-reaper", {"orphan-reaper", "run"});
        guard.start_ticks = kStart;
        builder.relative(guard)[bridge].row.ppid = guard.pid;
        builder[bridge].environment.value[std::string(kRunMark)] = run_mark(host_of(builder));
    }
    set_start(builder[kOlder], kStart + 1);
    const auto verdict = [](const FactsBuilder& of, Pid pid) { return judged(of, pid).verdict; };
    CHECK(judged(builder, kPid).host == kOwner);
    CHECK(vetoes_of(judged(builder, kPid)) == std::vector<std::string>{"veto.live_host"});
    CHECK(verdict(builder, kPid) == policy::Verdict::attached);
    CHECK(verdict(builder, kOlder) == policy::Verdict::duplicate);
    SECTION("a mark that was inherited past another host speaks of an earlier one") {
        for (const Pid bridge : {kPid, kOlder}) builder[bridge].row.ppid = kHost;
        CHECK(judged(builder, kPid).host == kHost);
    }
    SECTION("without a readable mark the guard stands for itself") {
        for (const Pid bridge : {kPid, kOlder})
            builder[bridge].environment.value.erase(std::string(kRunMark));
        CHECK(judged(builder, kPid).host == kPid + 1);
        CHECK(verdict(builder, kOlder) == policy::Verdict::attached);
    }
}

TEST_CASE("a helper with a living parent is not ended for what its mark says") {
    FactsBuilder builder = FactsBuilder().attached_bridge(kPid, kHost);
    builder[kPid].environment.value[std::string(kRunMark)] = run_mark(host_of(builder));
    CHECK(judged(builder, kPid).verdict == policy::Verdict::attached);
}

TEST_CASE("a mark that was inherited past a living host is no reason to keep a helper") {
    FactsBuilder builder = FactsBuilder().relative(owner_row()).attached_bridge(kPid, kHost);
    builder[kPid].standard_input = builder[kPid].standard_output = dead_end();
    REQUIRE(judged(builder, kPid).verdict == policy::Verdict::abandoned);
    builder[kPid].environment.value[std::string(kRunMark)] = run_mark(host_of(builder));
    CHECK(judged(builder, kPid).verdict == policy::Verdict::abandoned);
    CHECK_FALSE(has_code(judged(builder, kPid), "veto.owner"));
}

}  // namespace reaper::test
