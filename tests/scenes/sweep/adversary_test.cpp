// Real processes and the real protocol: the lookout, the policy, the verifier, the reaper and the
// door; between any two steps an actor changes the world. No process may be signalled that is not
// the one that was looked at, or that the next look no longer finds leaked. This program is pid 1
// of a namespace of its own, so that the processes that it starts look adopted.
//
// Not excluded, and not possible to exclude on Linux: an exec between the last look and the signal
// that follows it.
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <map>

#include "agent/observe/second_look.hpp"
#include "agent/observe/setup.hpp"
#include "agent/observe/snapshot.hpp"
#include "agent/reaping/process_control.hpp"
#include "agent/reaping/reaper.hpp"
#include "policy/verdict/plan.hpp"
#include "scanner/activity.hpp"
#include "tests/support/actor.hpp"
#include "tests/support/catch.hpp"

namespace {

using namespace std::chrono_literals;
using namespace reaper;
using agent::Delivery;
using agent::Look;
using agent::Observer;
using agent::Outcome;
using agent::OutcomeResult;
using agent::Signal;
using agent::Target;
using scanner::InspectionPoint;
using scanner::Pid;
using scanner::PidHandle;
using scanner::ProcessTable;
using test::Actor;
using test::OnTerm;
using test::Part;

// Every point of the protocol by name, in the order in which it is passed: "look.pinned",
// "verify2.begin", "log.TERM",
// ... The strike comes once, at the first time that its point is passed.
class Script {
   public:
    explicit Script(Pid pid, std::string strike_at = {}, std::function<void()> strike = {})
        : pid_(pid), strike_at_(std::move(strike_at)), strike_(std::move(strike)) {}

    void reached(const std::string& point) {
        passed.push_back(point);
        if (point == strike_at_ && strike_) std::exchange(strike_, nullptr)();
    }
    [[nodiscard]] bool is_about(Pid pid) const { return pid == pid_; }
    std::vector<std::string> passed;
    std::string phase;  // whose look it is

   private:
    Pid pid_;
    std::string strike_at_;
    std::function<void()> strike_;
};

class Witness final : public scanner::InspectionObserver {
   public:
    explicit Witness(Script& script) : script_(script) {}
    void reached(Pid pid, InspectionPoint point) override {
        static const std::map<InspectionPoint, std::string> names{
            {InspectionPoint::pinned, "pinned"},
            {InspectionPoint::row_read, "row_read"},
            {InspectionPoint::evidence_read, "evidence_read"},
            {InspectionPoint::verified, "verified"}};
        if (script_.is_about(pid)) script_.reached(script_.phase + "." + names.at(point));
    }

   private:
    Script& script_;
};

// A family of which every copy of this program is a member.
agent::Setup make_setup(std::chrono::milliseconds grace) {
    policy::FamilyRule actors = policy::default_family("actor");
    policy::Program program;
    program.executables = {std::filesystem::read_symlink("/proc/self/exe").filename()};
    actors.programs = {program};
    actors.roles = {{"worker", {}, false}};
    actors.home = {{policy::HomeSource::From::fixed, "/nowhere"}};
    agent::Setup setup;
    setup.rules.families = {actors};
    setup.settings.uids = {getuid()};
    setup.settings.reap_inside_services = true;
    setup.settings.min_age = 0ms;
    setup.settings.grace = grace;
    setup.settings.grace_cap = 10s;  // a machine that is slow must not make the reaper skip a point
    setup.uid = getuid();
    return setup;
}

// The parts of the reaper, each of which tells the script when it is passed.
class Parts final : public agent::Verifier,
                    public agent::DecisionLog,
                    public agent::Progress,
                    public agent::ProcessControl {
   public:
    Parts(const ProcessTable& table, agent::Verifier& verifier, Script& script)
        : table_(table), verifier_(verifier), script_(script) {}

    Result<std::optional<std::string>> objection(const Target& target) override {
        script_.phase = "verify" + std::to_string(++verified_);
        script_.reached(script_.phase + ".begin");
        auto result = verifier_.objection(target);
        script_.reached(script_.phase + ".end");
        return result;
    }
    Result<void> about_to_signal(const Target&, Signal signal) override {
        script_.reached("log." + std::string(to_string(signal)));
        return {};
    }
    void ended(const Target&, const Outcome&) override {}
    void waiting(std::size_t, std::size_t, std::chrono::milliseconds) override {}
    Result<Delivery> admit(const PidHandle& target) override {
        script_.reached("admit" + std::to_string(++asked_));
        return door_->admit(target);
    }
    Result<Delivery> send(const PidHandle& target, Signal signal) override {
        script_.reached("send." + std::string(to_string(signal)));
        const auto delivery = door_->send(target, signal);
        if (signal != Signal::kill) script_.reached("sent." + std::string(to_string(signal)));
        return delivery;
    }
    Result<scanner::Activity> activity(const PidHandle& handle) {
        script_.reached("activity" + std::to_string(++sampled_));
        return scanner::read_activity(table_, handle);
    }

   private:
    const ProcessTable& table_;
    agent::Verifier& verifier_;
    Script& script_;
    std::unique_ptr<agent::ProcessControl> door_ = agent::make_process_control();
    int verified_ = 0;
    int asked_ = 0;
    int sampled_ = 0;
};

Outcome not_sent(Pid pid, OutcomeResult result) {
    Outcome outcome;
    outcome.pid = pid;
    outcome.result = result;
    return outcome;
}

// A sweep, as agent/sweep.cpp does it.
class Protocol {
   public:
    Protocol(const ProcessTable& table, const agent::Setup& setup, Script& script)
        : table_(table),
          setup_(setup),
          script_(script),
          observer_(table, setup.rules, setup.uid, &witness_) {}

    // By pid: what became of each process that was planned to end.
    std::map<Pid, Outcome> run(const agent::ReaperTimes& times) {
        script_.reached("found");
        Look first = look("look");
        const policy::Plan plan = policy::make_plan(judge(first), 1000);
        REQUIRE(plan.refusal.empty());
        Look second = look("settle");
        auto targets = settled_targets(plan, first, judge(second));
        agent::FreshVerifier verifier(observer_, setup_, second);
        Parts parts(table_, verifier, script_);
        const auto activity = [&parts](const PidHandle& which) { return parts.activity(which); };
        for (const Outcome& outcome :
             reap(std::move(targets), {parts, parts, parts, parts, activity, -1}, times)) {
            outcomes_[outcome.pid] = outcome;
        }
        return std::move(outcomes_);
    }

   private:
    Look look(const std::string& phase) {
        script_.phase = phase;
        auto seen = observer_.look();
        REQUIRE(seen);
        return std::move(*seen);
    }
    [[nodiscard]] std::vector<policy::Judgement> judge(const Look& look) const {
        return policy::judge(look.facts, setup_.rules, setup_.settings, {});
    }
    static const policy::Judgement* find(const std::vector<policy::Judgement>& all, Pid pid) {
        const auto found = std::ranges::find(
            all, pid, [](const policy::Judgement& one) { return one.identity.pid; });
        return found == all.end() ? nullptr : &*found;
    }
    std::vector<Target> settled_targets(const policy::Plan& plan, Look& first,
                                        const std::vector<policy::Judgement>& second) {
        std::vector<Target> targets;
        for (const policy::Judgement& step : plan.steps) {
            const Pid pid = step.identity.pid;
            PidHandle& handle = first.handles.at(pid);
            if (handle.exited())
                outcomes_[pid] = not_sent(pid, OutcomeResult::already_gone);
            else if (agent::difference(step, find(second, pid)))
                outcomes_[pid] = not_sent(pid, OutcomeResult::changed);
            else
                targets.push_back({step, std::move(handle)});
        }
        return targets;
    }

    const ProcessTable& table_;
    const agent::Setup& setup_;
    Script& script_;
    Witness witness_{script_};
    Observer observer_;
    std::map<Pid, Outcome> outcomes_;
};

struct World {
    ProcessTable table = *ProcessTable::open();
    agent::Setup setup = make_setup(5ms);
    std::chrono::milliseconds exiting =
        2ms;  // after an objection a process that has been changed is not worth waiting for
};

// None: the first look already said no.
std::optional<Outcome> run_protocol(const World& world, Pid pid, Script& script) {
    const agent::ReaperTimes times{
        .after_kill = 2000ms,
        .slice = 5ms,
        .exiting = world.exiting,
        .retry_delay = 1ms,
        .fresh = 1h};  // no look more, however slow the machine is: each point is passed once
    auto outcomes = Protocol(world.table, world.setup, script).run(times);
    const auto found = outcomes.find(pid);
    REQUIRE(outcomes.size() ==
            (found == outcomes.end() ? 0 : 1));  // no other process is ever planned to end
    return found == outcomes.end() ? std::nullopt : std::optional(found->second);
}

std::vector<Signal> signals_of(const std::optional<Outcome>& outcome) {
    return outcome ? outcome->signals : std::vector<Signal>{};
}

// All points that a process passes that nothing happens to, up to its KILL.
std::vector<std::string> rehearse(const World& world) {
    const Actor victim({});
    Script script(victim.pid());
    const auto outcome = run_protocol(world, victim.pid(), script);
    REQUIRE(outcome);
    REQUIRE(outcome->result == OutcomeResult::ended_on_kill);
    return script.passed;
}

std::size_t place(const std::vector<std::string>& points, const std::string& name) {
    const auto found = std::ranges::find(points, name);
    REQUIRE(found != points.end());
    return static_cast<std::size_t>(found - points.begin());
}

constexpr int kRepeats = 16;

// Adopters are known by their names.
bool become_init() {
    return getpid() == 1 && prctl(PR_SET_NAME, "init") == 0;
}

struct Stage {
    Stage() {
        REQUIRE(become_init());
        points = rehearse(world);
    }
    World world;
    std::vector<std::string> points;
};

}  // namespace

TEST_CASE("Control: without an adversary every leaked process is ended, and by what it takes") {
    Stage stage;
    stage.world.exiting = 2000ms;
    int rounds = 0;
    for (int repeat = 0; repeat < 100; ++repeat) {
        for (const OnTerm on_term : {OnTerm::die, OnTerm::ignore}) {
            const Actor victim({.on_term = on_term});
            Script script(victim.pid());
            const auto outcome = run_protocol(stage.world, victim.pid(), script);
            REQUIRE(outcome);
            CAPTURE(agent::to_string(outcome->result), outcome->detail);
            // Five milliseconds of grace may be too short for a busy machine; being ended is what
            // counts.
            REQUIRE((outcome->result == OutcomeResult::ended_on_kill ||
                     outcome->result == OutcomeResult::ended_on_term));
            if (on_term == OnTerm::ignore) REQUIRE(outcome->result == OutcomeResult::ended_on_kill);
            REQUIRE_FALSE(victim.alive());
            ++rounds;
        }
    }
    WARN("control: " << rounds << " of " << rounds << " ended");
}

TEST_CASE("The rehearsal passes every step of the protocol") {
    const Stage stage;
    const std::vector<std::string> expected{"found",
                                            "look.pinned",
                                            "look.row_read",
                                            "look.evidence_read",
                                            "look.verified",
                                            "settle.pinned",
                                            "settle.row_read",
                                            "settle.evidence_read",
                                            "settle.verified",
                                            "verify1.begin",
                                            "verify1.pinned",
                                            "verify1.row_read",
                                            "verify1.evidence_read",
                                            "verify1.verified",
                                            "verify1.end",
                                            "admit1",
                                            "admit2",
                                            "log.TERM",
                                            "send.TERM",
                                            "sent.TERM",
                                            "log.CONT",
                                            "send.CONT",
                                            "sent.CONT",
                                            "activity1",
                                            "activity2",
                                            "verify2.begin",
                                            "verify2.pinned",
                                            "verify2.row_read",
                                            "verify2.evidence_read",
                                            "verify2.verified",
                                            "verify2.end",
                                            "admit3",
                                            "log.KILL",
                                            "send.KILL"};
    CHECK(stage.points == expected);
}

TEST_CASE("A process that dies at any point, and the one that gets its pid, are never mistaken") {
    const Stage stage;
    const std::size_t last_read_point = place(stage.points, "look.evidence_read");
    int rounds = 0;
    int wrong = 0;
    for (const std::string& point : stage.points) {
        // Before the process is pinned a twin would be found leaked, and rightly so.
        for (const bool twin : {false, true}) {
            if (twin && point == "found") continue;
            for (int repeat = 0; repeat < kRepeats; ++repeat) {
                Actor victim({});
                std::optional<Actor> bystander;
                Script script(victim.pid(), point, [&] {
                    victim.exit_and_be_reaped();
                    bystander.emplace(
                        Part{.pid = victim.pid(), .leaked = twin, .on_term = OnTerm::record});
                });
                const auto outcome = run_protocol(stage.world, victim.pid(), script);
                REQUIRE(bystander);
                ++rounds;
                // What was read of a stranger is never taken for facts about the dead.
                REQUIRE(outcome.has_value() == (place(stage.points, point) > last_read_point));
                if (!bystander->was_signalled()) continue;
                ++wrong;
                UNSCOPED_INFO("wrong at " << point << (twin ? ", twin" : ""));
                CHECK(signals_of(outcome).empty());
            }
        }
    }
    WARN("re-used pid: " << rounds << " rounds, " << wrong << " wrong signals");
    CHECK(wrong == 0);
    CHECK(rounds >= 800);
}

TEST_CASE("A process that simply dies at any point is reported as ended, not as signalled") {
    const Stage stage;
    int rounds = 0;
    for (const std::string& point : stage.points) {
        for (const bool reaped : {false, true}) {
            for (int repeat = 0; repeat < kRepeats; ++repeat) {
                Actor victim({});
                Script script(victim.pid(), point,
                              [&] { reaped ? victim.exit_and_be_reaped() : victim.exit(); });
                const auto outcome = run_protocol(stage.world, victim.pid(), script);
                ++rounds;
                const bool planned =
                    place(stage.points, point) > place(stage.points, "look.evidence_read");
                REQUIRE(outcome.has_value() == planned);
                if (!planned) continue;
                INFO(point);
                REQUIRE(
                    (outcome->result == OutcomeResult::already_gone ||
                     outcome->result == OutcomeResult::ended_on_term ||
                     (outcome->result == OutcomeResult::ended_on_kill && point == "send.KILL")));
                REQUIRE(signals_of(outcome).empty() ==
                        (outcome->result == OutcomeResult::already_gone));
            }
        }
    }
    WARN("death: " << rounds << " rounds");
}

TEST_CASE("A process that becomes another one is not signalled after the next look") {
    struct Change {
        std::string name;
        void (Actor::*make)();
        std::string last_noticed;  // by a look that has not passed this point yet
        std::string
            first_look;  // the same for the first look, which asks for the sockets of all at once
    };
    const std::array changes{
        Change{"exec", &Actor::become_another_program, "evidence_read", "look.evidence_read"},
        Change{"stdin attached", &Actor::attach_stdin, "row_read", "look.row_read"},
        Change{"listens", &Actor::start_to_listen, "row_read", "found"},
        Change{"another root", &Actor::enter_another_root, "row_read", "look.row_read"}};
    const Stage stage;
    int rounds = 0;
    int wrong = 0;
    for (const Change& change : changes) {
        const std::size_t noticed_first = place(stage.points, change.first_look);
        const std::size_t noticed_before_term =
            place(stage.points, "verify1." + change.last_noticed);
        const std::size_t noticed_before_kill =
            place(stage.points, "verify2." + change.last_noticed);
        for (std::size_t at = 0; at <= noticed_before_kill; ++at) {
            for (int repeat = 0; repeat < kRepeats; ++repeat) {
                Actor victim({});
                Script script(victim.pid(), stage.points[at], [&] { (victim.*change.make)(); });
                const auto outcome = run_protocol(stage.world, victim.pid(), script);
                ++rounds;
                const auto signals = signals_of(outcome);
                const bool spared = at <= noticed_before_term
                                        ? signals.empty()
                                        : std::ranges::count(signals, Signal::kill) == 0;
                const bool right = spared && victim.alive() &&
                                   outcome.has_value() == (at > noticed_first) &&
                                   (!outcome || outcome->result == OutcomeResult::changed);
                if (right) continue;
                ++wrong;
                UNSCOPED_INFO("wrong: " << change.name << " at " << stage.points[at] << ": "
                                        << (outcome ? to_string(outcome->result) : "not planned")
                                        << ", " << (outcome ? outcome->detail : "") << ", "
                                        << signals.size() << " signals");
                CHECK(right);
            }
        }
    }
    WARN("change: " << rounds << " rounds, " << wrong << " wrong signals");
    CHECK(wrong == 0);
    CHECK(rounds >= 900);
}

TEST_CASE("A hundred processes that ignore TERM cost one grace period, not a hundred") {
    const Stage stage;
    std::vector<Actor> victims;
    for (int count = 0; count < 100; ++count) victims.emplace_back(Part{});
    const agent::Setup setup = make_setup(1000ms);
    Script script(0);
    const auto start = std::chrono::steady_clock::now();
    const auto outcomes = Protocol(stage.world.table, setup, script).run({});
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - start);
    CHECK(outcomes.size() == 100);
    for (const auto& [pid, outcome] : outcomes)
        CHECK(outcome.result == OutcomeResult::ended_on_kill);
    WARN("a hundred stubborn processes with 1 s of grace: " << took.count() << " ms");
    CHECK(took >= 1000ms);
    CHECK(took <= 1000ms + REAPER_SLOWDOWN * 2000ms);  // other scenes run beside this one
}
