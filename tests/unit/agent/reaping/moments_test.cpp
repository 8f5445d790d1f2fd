// The moments at which a target takes its next step, by a clock that the test holds.
#include <memory>

#include "agent/reaping/reaper.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/agent/reaping/consenting_parts.hpp"

namespace reaper::test {

namespace {

using namespace std::chrono_literals;
using agent::begin;
using agent::OutcomeResult;
using agent::ReaperParts;
using agent::ReaperTarget;
using agent::ReaperTimes;
using agent::Target;
using Clock = ReaperTarget::Clock;

// A bridge, and the launcher that ends with it.
struct Unit {
    QuietChild bridge_child, launcher_child;
    ObedientControl control{bridge_child};
    Consent consent;
    ReaperParts parts{control, consent, consent, consent, idle};
    ReaperTimes times;
    ReaperTarget bridge{target_of(bridge_child, launcher_child, false), parts, times};
    ReaperTarget launcher{target_of(launcher_child, bridge_child, true), parts, times};

    static Target target_of(const QuietChild& child, const QuietChild& other, bool is_launcher) {
        Target target{policy::Judgement{}, child.handle()};
        target.step.launcher = is_launcher;
        target.step.ends_with = {other.pid()};
        target.step.grace = target.step.grace_cap = 10s;
        return target;
    }
};

}  // namespace

TEST_CASE("A launcher is told to end in the very moment in which its time is over") {
    Unit unit;
    begin({&unit.bridge, &unit.launcher});
    const auto now = Clock::now();
    unit.launcher.advance(now);
    CHECK(unit.launcher.running());  // as long as its bridge runs
    unit.bridge_child.end();
    unit.bridge.advance(now);
    REQUIRE(unit.bridge.outcome().result == OutcomeResult::ended_on_term);
    unit.launcher.advance(now);
    unit.launcher.advance(now + unit.times.exiting - 1ns);
    CHECK_FALSE(unit.launcher.terminating());
    unit.launcher.advance(now + unit.times.exiting);
    CHECK(unit.launcher.terminating());
}

TEST_CASE("A target is over at the latest when the wait after its KILL is") {
    Unit unit;
    begin({&unit.bridge, &unit.launcher});
    REQUIRE(unit.bridge.terminating());
    CHECK(unit.bridge.over_at() == unit.bridge.deadline() + unit.times.after_kill);
    CHECK(unit.launcher.over_at() == Clock::time_point::min());
    const auto end_of_grace = unit.bridge.deadline();
    unit.bridge.advance(end_of_grace);
    REQUIRE(unit.bridge.running());  // KILL was sent
    CHECK(unit.bridge.over_at() == unit.bridge.deadline());
}

TEST_CASE("A wait status that the kernel tells only later is in the final outcome") {
    auto child = std::make_unique<QuietChild>();
    ObedientControl control(*child);
    Consent consent;
    const ReaperParts parts{control, consent, consent, consent, idle};
    const ReaperTimes times;
    ReaperTarget target({policy::Judgement{}, child->handle()}, parts, times);
    begin({&target});
    child->end();
    target.advance(Clock::now());
    CHECK_FALSE(target.final_outcome().wait_status);  // its parent has not waited for it
    child.reset();
    const bool told = target.target().handle.wait_status().has_value();  // since Linux 6.15
    CHECK(target.final_outcome().wait_status.has_value() == told);
}

}  // namespace reaper::test
