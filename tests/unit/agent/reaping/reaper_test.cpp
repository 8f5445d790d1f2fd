// The order of steps, and every fault that cannot be had for real. Processes are real, signals are
// not: the door is a fake that ends a child by other means.
#include "agent/reaping/reaper.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <map>

#include "tests/support/catch.hpp"
#include "tests/support/quiet_child.hpp"

namespace {

using namespace std::chrono_literals;
using reaper::Fd;
using reaper::Result;
using reaper::agent::begin;
using reaper::agent::Delivery;
using reaper::agent::Outcome;
using reaper::agent::OutcomeResult;
using reaper::agent::ReaperTarget;
using reaper::agent::Signal;
using reaper::agent::Target;
using reaper::scanner::Activity;
using reaper::scanner::Pid;
using reaper::scanner::PidHandle;
using reaper::test::QuietChild;
using Clock = std::chrono::steady_clock;
using Journal = std::vector<std::string>;

const auto kGone = std::errc::no_such_process;
const auto kNotOurs = std::errc::operation_not_permitted;

// Plays every part that reap() works with, and writes down what was asked of which target: "verify
// 0", "log 0 TERM", "send 0 TERM".
class Stage : public reaper::agent::ProcessControl,
              public reaper::agent::Verifier,
              public reaper::agent::DecisionLog,
              public reaper::agent::Progress {
   public:
    explicit Stage(std::size_t count) {
        for (std::size_t index = 0; index < count; ++index) {
            names_[children_.emplace_back().pid()] = std::to_string(index);
            targets_.push_back({reaper::policy::Judgement{}, children_.back().handle()});
            targets_.back().step.grace = 60ms;
            targets_.back().step.grace_cap = 400ms;
        }
        int ends[2] = {-1, -1};
        REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
        interrupt_ = Fd(ends[0]);
        interrupter_ = Fd(ends[1]);
        times_.after_kill = 60ms;
        times_.slice = 60ms;
        times_.exiting = 20ms;
        times_.retry_delay = 5ms;
        times_.fresh = 1h;
    }

    // What a test scripts. `nth` counts from 1 and per target.
    std::function<Result<std::optional<std::string>>(int which, int nth)> on_verify = [](int, int) {
        return std::nullopt;
    };
    std::function<Result<void>(int which, Signal)> on_log = [](int, Signal) {
        return Result<void>{};
    };
    std::function<Result<Delivery>(int which)> on_admit = [](int) { return Delivery::sent; };
    std::function<Result<Delivery>(int which, Signal)> on_send = [](int, Signal) {
        return Delivery::sent;
    };
    std::function<Result<Activity>(int nth)> on_activity = [](int) { return Activity{}; };
    std::function<void()> on_wait = [] {};
    std::function<Result<PidHandle>(Pid)> on_open = PidHandle::open;

    [[nodiscard]] reaper::agent::ReaperParts parts() {
        const auto activity = [this](const PidHandle& handle) {
            note("activity", handle.pid());
            return on_activity(++activities_);
        };
        return {*this, *this, *this, *this, activity, interrupt_.get()};
    }
    // With handles that are opened for each step, as those of a tree are.
    [[nodiscard]] reaper::agent::ReaperParts opening_parts() {
        auto all = parts();
        all.open = [this](Pid pid) {
            note("open", pid);
            return on_open(pid);
        };
        return all;
    }

    std::vector<Outcome> reap() {
        const auto start = Clock::now();
        auto outcomes = reaper::agent::reap(std::move(targets_), parts(), times_);
        took = Clock::now() - start;
        REQUIRE(outcomes.size() == children_.size());
        REQUIRE(told == children_.size());  // every target's outcome was written down, once
        return outcomes;
    }
    Outcome reap_one() { return reap().front(); }

    void end(int which) { children_[static_cast<std::size_t>(which)].end(); }
    void interrupt() { REQUIRE(write(interrupter_.get(), "x", 1) == 1); }
    Target& target(std::size_t which) { return targets_[which]; }  // until reap()
    [[nodiscard]] Pid pid(std::size_t which) const { return children_[which].pid(); }
    reaper::agent::ReaperTimes& times() { return times_; }
    void join(std::size_t from, std::size_t to) {
        target(from).step.ends_with.push_back(target(to).handle.pid());
    }
    [[nodiscard]] Journal steps(std::string_view with = {}) const {
        Journal found;
        for (const std::string& line : journal) {
            if (line.find(with) != std::string::npos && line.find("activity") == std::string::npos)
                found.push_back(line);
        }
        return found;
    }

    Journal journal;
    std::size_t told = 0;
    std::size_t waits = 0;
    Clock::duration took{};

   private:
    Result<std::optional<std::string>> objection(const Target& target) override {
        note("verify", target.handle.pid());
        return on_verify(which(target.handle.pid()), ++looks_[target.handle.pid()]);
    }
    Result<void> about_to_signal(const Target& target, Signal signal) override {
        note("log", target.handle.pid(), signal);
        return on_log(which(target.handle.pid()), signal);
    }
    void ended(const Target&, const Outcome&) override { ++told; }
    Result<Delivery> admit(const PidHandle& handle) override {
        return on_admit(which(handle.pid()));
    }
    Result<Delivery> send(const PidHandle& handle, Signal signal) override {
        note("send", handle.pid(), signal);
        return on_send(which(handle.pid()), signal);
    }
    void waiting(std::size_t, std::size_t, std::chrono::milliseconds) override {
        ++waits;
        on_wait();
    }

    int which(Pid pid) { return std::stoi(names_.at(pid)); }
    void note(const std::string& what, Pid pid) { journal.push_back(what + " " + names_.at(pid)); }
    void note(const std::string& what, Pid pid, Signal signal) {
        note(what, pid);
        journal.back().append(" ").append(to_string(signal));
    }

    std::vector<QuietChild> children_;
    std::vector<Target> targets_;
    std::map<Pid, std::string> names_;
    std::map<Pid, int> looks_;
    int activities_ = 0;
    Fd interrupt_;
    Fd interrupter_;
    reaper::agent::ReaperTimes times_;
};

// Ends the child when `deadly` arrives.
auto dies_on(Stage& stage, Signal deadly) {
    return [&stage, deadly](int which, Signal signal) -> Result<Delivery> {
        if (signal == deadly) stage.end(which);
        return Delivery::sent;
    };
}

// As read from a process that has moved `io` bytes so far.
Activity moved(bool lock, int io) {
    return {.database_write_lock = lock,
            .io_bytes = static_cast<std::uint64_t>(io),
            .cpu_ticks = 0,
            .state = 'S',
            .wait_channel = {}};
}

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("A process that obeys is verified, written down, told TERM and CONT, and nothing else") {
    Stage stage(1);
    stage.target(0).step.grace = 20s;
    stage.on_send = dies_on(stage, Signal::resume);
    const Outcome outcome = stage.reap_one();
    CHECK(outcome.result == OutcomeResult::ended_on_term);
    CHECK(outcome.signals == std::vector{Signal::terminate, Signal::resume});
    CHECK(outcome.pid == stage.pid(0));
    CHECK(outcome.took > 0us);
    CHECK(stage.took < 10s);
    CHECK(stage.steps() ==
          Journal{"verify 0", "log 0 TERM", "send 0 TERM", "log 0 CONT", "send 0 CONT"});
}

TEST_CASE("A process that ignores TERM is verified and written down again before KILL") {
    Stage stage(1);
    stage.on_send = dies_on(stage, Signal::kill);
    const Outcome outcome = stage.reap_one();
    CHECK(outcome.result == OutcomeResult::ended_on_kill);
    CHECK(stage.steps() == Journal{"verify 0", "log 0 TERM", "send 0 TERM", "log 0 CONT",
                                   "send 0 CONT", "verify 0", "log 0 KILL", "send 0 KILL"});
    CHECK(outcome.took >= 60ms);
}

TEST_CASE("What took long to write down is looked at once more before the signal") {
    Stage stage(1);
    stage.times().fresh = 0ms;
    stage.on_send = dies_on(stage, Signal::kill);
    CHECK(stage.reap_one().result == OutcomeResult::ended_on_kill);
    CHECK(stage.steps() == Journal{"verify 0", "log 0 TERM", "verify 0", "send 0 TERM",
                                   "log 0 CONT", "send 0 CONT", "verify 0", "log 0 KILL",
                                   "verify 0", "send 0 KILL"});
    for (const int objects_at : {2, 4}) {
        Stage changed(1);
        changed.times().fresh = 0ms;
        changed.on_verify = [objects_at](int, int nth) {
            return nth == objects_at ? std::optional<std::string>("it listens now") : std::nullopt;
        };
        const Outcome outcome = changed.reap_one();
        CHECK(outcome.result == OutcomeResult::changed);
        CHECK(outcome.detail.starts_with("it listens now"));
        CHECK(changed.steps(objects_at == 2 ? "send" : "send 0 KILL").empty());
    }
}

TEST_CASE("Until its grace is over nothing is killed, and nothing wakes up in between") {
    Stage stage(1);
    stage.target(0).step.grace = 500ms;
    stage.on_send = dies_on(stage, Signal::kill);
    CHECK(stage.reap_one().took >= 500ms);
    CHECK(stage.waits <= 3);
}

TEST_CASE("The end of one does not shorten the grace of another") {
    Stage stage(2);
    stage.target(1).step.grace = 500ms;
    stage.on_send = [&](int which, Signal signal) {
        if (which == 0 || signal == Signal::kill) stage.end(which);
        return Delivery::sent;
    };
    const auto outcomes = stage.reap();
    CHECK(outcomes[0].result == OutcomeResult::ended_on_term);
    CHECK(outcomes[1].took >= 500ms);
}

TEST_CASE("An objection before TERM means that nothing is sent") {
    Stage stage(1);
    stage.on_verify = [](int, int) { return "its stdin is open again"; };
    const Outcome outcome = stage.reap_one();
    CHECK(outcome.result == OutcomeResult::changed);
    CHECK(outcome.detail == "its stdin is open again");
    CHECK(stage.steps() == Journal{"verify 0"});
}

TEST_CASE("A verifier that could not look objects") {
    Stage stage(1);
    stage.on_verify = [](int, int) {
        return reaper::failure(std::errc::permission_denied, "read", "/proc/7/stat");
    };
    CHECK(stage.reap_one().result == OutcomeResult::changed);
    CHECK(stage.steps("send").empty());
}

TEST_CASE("An objection before KILL means that nothing more is sent") {
    Stage stage(1);
    stage.on_verify = [](int, int nth) -> std::optional<std::string> {
        return nth == 1 ? std::nullopt : std::optional<std::string>("it listens now");
    };
    const Outcome outcome = stage.reap_one();
    CHECK(outcome.result == OutcomeResult::changed);
    CHECK(outcome.detail == "it listens now; TERM had been sent");
    CHECK(outcome.signals == std::vector{Signal::terminate, Signal::resume});
    CHECK(stage.steps("send") == Journal{"send 0 TERM", "send 0 CONT"});
}

TEST_CASE(
    "A process that looks like another before KILL, because it is just exiting, has ended on "
    "TERM") {
    Stage stage(1);
    stage.on_verify = [&](int, int nth) -> std::optional<std::string> {
        if (nth == 1) return std::nullopt;
        stage.on_wait = [&stage] { stage.end(0); };
        return "another program runs in it";
    };
    const Outcome outcome = stage.reap_one();
    CHECK(outcome.result == OutcomeResult::ended_on_term);
    CHECK(outcome.detail.empty());
    CHECK(stage.steps("send") == Journal{"send 0 TERM", "send 0 CONT"});
}

TEST_CASE("A process that is gone is not signalled") {
    Stage stage(1);
    SECTION("before the reaper began: a zombie would still take the signal") {
        stage.end(0);
    }
    SECTION("the verifier found out") {
        stage.on_verify = [](int, int) { return reaper::failure(kGone, "inspect", "it"); };
    }
    SECTION("while it was verified") {
        stage.on_verify = [&](int which, int) {
            stage.end(which);
            return std::nullopt;
        };
    }
    SECTION("while it was objected to") {
        stage.on_verify = [&](int which, int) {
            stage.end(which);
            return "no longer what it was";
        };
    }
    SECTION("while it was written down") {
        stage.on_log = [&](int which, Signal) {
            stage.end(which);
            return Result<void>{};
        };
    }
    const Outcome outcome = stage.reap_one();
    CHECK(outcome.result == OutcomeResult::already_gone);
    CHECK(outcome.signals.empty());
    CHECK(stage.steps("send").empty());
}

TEST_CASE("A process that the kernel does not find is gone") {
    Stage stage(1);
    stage.on_send = [](int, Signal) { return reaper::failure(kGone, "signal", "it"); };
    const Outcome outcome = stage.reap_one();
    CHECK(outcome.result == OutcomeResult::already_gone);
    CHECK(outcome.signals.empty());
    CHECK(stage.steps("send") == Journal{"send 0 TERM"});
}

TEST_CASE("A process that ends between grace and KILL ended on TERM") {
    Stage stage(1);
    SECTION("while it was verified") {
        stage.on_verify = [&](int which, int nth) {
            if (nth == 2) stage.end(which);
            return std::nullopt;
        };
    }
    SECTION("while KILL was written down") {
        stage.on_log = [&](int which, Signal signal) {
            if (signal == Signal::kill) stage.end(which);
            return Result<void>{};
        };
    }
    CHECK(stage.reap_one().result == OutcomeResult::ended_on_term);
    CHECK(stage.steps("send") == Journal{"send 0 TERM", "send 0 CONT"});
}

TEST_CASE(
    "What the kernel does not allow is denied, what the door itself does not allow is refused") {
    Stage stage(1);
    auto code = kNotOurs;
    SECTION("not ours") {}
    SECTION("no such system call") {
        code = std::errc::function_not_supported;
    }
    stage.on_send = [&](int, Signal) { return reaper::failure(code, "signal", "it"); };
    const Outcome outcome = stage.reap_one();
    CHECK(outcome.result == OutcomeResult::denied);
    CHECK(has(outcome.detail, "cannot signal it"));
    CHECK(outcome.signals.empty());
    CHECK(stage.steps("send") == Journal{"send 0 TERM"});
}

TEST_CASE("A target that the door refuses is never announced") {
    Stage stage(2);
    stage.on_admit = [](int which) -> Result<Delivery> {
        if (which == 1)
            return reaper::failure(std::errc::operation_canceled, "signal", "an ancestor");
        return Delivery::sent;
    };
    SECTION("alone: the others are ended") {
        stage.on_send = dies_on(stage, Signal::terminate);
        const auto outcomes = stage.reap();
        CHECK(outcomes[0].result == OutcomeResult::ended_on_term);
        CHECK(outcomes[1].result == OutcomeResult::refused);
        CHECK(has(outcomes[1].detail, "an ancestor"));
        CHECK(stage.steps("log")[0] == "log 0 TERM");
        CHECK(stage.steps("1") == Journal{"verify 1"});
    }
    SECTION("in a unit: none of it is signalled") {
        stage.join(0, 1);
        for (const Outcome& outcome : stage.reap()) CHECK(outcome.result == OutcomeResult::refused);
        CHECK(stage.steps("log").empty());
        CHECK(stage.steps("send").empty());
    }
}

TEST_CASE("A KILL that is denied is reported with what was sent before") {
    Stage stage(1);
    stage.on_send = [](int, Signal signal) -> Result<Delivery> {
        if (signal == Signal::kill) return reaper::failure(kNotOurs, "signal", "it");
        return Delivery::sent;
    };
    const Outcome outcome = stage.reap_one();
    CHECK(outcome.result == OutcomeResult::denied);
    CHECK(has(outcome.detail, "TERM had been sent"));
}

TEST_CASE("A signal that cannot be written down is not sent") {
    Stage stage(1);
    auto unwritable = Signal::terminate;
    auto expected = Journal{};
    auto result = OutcomeResult::refused;
    SECTION("TERM") {}
    SECTION("KILL") {
        unwritable = Signal::kill;
        expected = {"send 0 TERM", "send 0 CONT"};
    }
    SECTION("CONT: the others are") {
        unwritable = Signal::resume;
        expected = {"send 0 TERM", "send 0 KILL"};
        result = OutcomeResult::ended_on_kill;
    }
    stage.on_log = [&](int, Signal signal) -> Result<void> {
        if (signal == unwritable)
            return reaper::failure(std::errc::no_space_on_device, "write", "history");
        return {};
    };
    stage.on_send = dies_on(stage, Signal::kill);
    CHECK(stage.reap_one().result == result);
    CHECK(stage.steps("send") == expected);
}

TEST_CASE("A process that is still there after KILL is reported once, and let alone") {
    Stage stage(1);
    SECTION("running") {
        CHECK(stage.reap_one().result == OutcomeResult::survived);
    }
    SECTION("sleeping in the kernel") {
        stage.on_activity = [](int) {
            return Activity{.database_write_lock = false,
                            .io_bytes = 0,
                            .cpu_ticks = 0,
                            .state = 'D',
                            .wait_channel = "percpu_rwsem_wait"};
        };
        const Outcome outcome = stage.reap_one();
        CHECK(outcome.result == OutcomeResult::unkillable);
        CHECK(has(outcome.detail, "percpu_rwsem_wait"));
    }
    SECTION("unreadable") {
        stage.on_activity = [](int) {
            return reaper::failure(std::errc::permission_denied, "read", "it");
        };
        CHECK(stage.reap_one().result == OutcomeResult::survived);
    }
    CHECK(stage.steps("send") == Journal{"send 0 TERM", "send 0 CONT", "send 0 KILL"});
    CHECK(stage.took < 10s);
}

TEST_CASE("A dry run goes as far as the first TERM, announces nothing and waits for nothing") {
    Stage stage(2);
    stage.target(0).step.grace = stage.target(1).step.grace = 10s;
    stage.on_admit = [](int) { return Delivery::withheld; };
    for (const Outcome& outcome : stage.reap()) {
        CHECK(outcome.result == OutcomeResult::would_reap);
        CHECK(outcome.signals.empty());
    }
    CHECK(stage.steps() == Journal{"verify 0", "verify 1"});
    CHECK(stage.waits == 0);
}

TEST_CASE("A unit is verified as a whole before any of it is signalled") {
    Stage stage(3);
    SECTION("the first names the last") {
        stage.join(0, 2);
    }
    SECTION("the last names the first") {
        stage.join(2, 0);
    }
    stage.on_send = dies_on(stage, Signal::terminate);
    stage.reap();
    CHECK(stage.steps("TERM") == Journal{"log 0 TERM", "send 0 TERM", "log 2 TERM", "send 2 TERM",
                                         "log 1 TERM", "send 1 TERM"});
    CHECK(stage.steps("0")[0] == "verify 0");
    CHECK(stage.steps()[1] == "verify 2");
}

TEST_CASE("An objection to one spares its whole unit, and no other") {
    Stage stage(4);
    stage.join(0, 1);
    stage.join(1, 2);
    stage.on_verify = [](int which, int) -> std::optional<std::string> {
        return which == 2 ? std::optional<std::string>("it listens now") : std::nullopt;
    };
    stage.on_send = dies_on(stage, Signal::terminate);
    const auto outcomes = stage.reap();
    for (const std::size_t which : {0U, 1U, 2U})
        CHECK(outcomes[which].result == OutcomeResult::changed);
    CHECK(has(outcomes[0].detail,
              "pid " + std::to_string(outcomes[2].pid) + " of its unit: it listens now"));
    CHECK(outcomes[3].result == OutcomeResult::ended_on_term);
    CHECK(stage.steps("TERM") == Journal{"log 3 TERM", "send 3 TERM"});
}

TEST_CASE("A member of a unit that has simply exited does not spare the rest") {
    Stage stage(2);
    stage.join(0, 1);
    stage.end(1);
    stage.on_send = dies_on(stage, Signal::terminate);
    const auto outcomes = stage.reap();
    CHECK(outcomes[0].result == OutcomeResult::ended_on_term);
    CHECK(outcomes[1].result == OutcomeResult::already_gone);
}

TEST_CASE("A unit that the plan holds only in part is refused") {
    Stage stage(1);
    stage.target(0).step.ends_with = {4194303};
    const Outcome outcome = stage.reap_one();
    CHECK(outcome.result == OutcomeResult::refused);
    CHECK(has(outcome.detail, "pid 4194303"));
    CHECK(stage.journal.empty());
}

TEST_CASE("When the first of a unit cannot be ended, the rest is left alone") {
    Stage stage(2);
    stage.join(0, 1);
    stage.on_send = [](int, Signal) { return reaper::failure(kNotOurs, "signal", "it"); };
    for (const Outcome& outcome : stage.reap()) CHECK(outcome.result == OutcomeResult::denied);
    CHECK(stage.steps("send") == Journal{"send 0 TERM"});
}

TEST_CASE("A launcher is not told to end while what it runs does") {
    Stage stage(2);
    stage.join(0, 1);
    stage.target(1).step.launcher = true;
    SECTION("it ends with that") {
        stage.on_send = [&](int which, Signal signal) {
            if (signal == Signal::terminate) stage.end(which);
            if (signal == Signal::resume) stage.end(1);
            return Result<Delivery>(Delivery::sent);
        };
        const auto outcomes = stage.reap();
        CHECK(outcomes[0].result == OutcomeResult::ended_on_term);
        CHECK(outcomes[1].result == OutcomeResult::already_gone);
        CHECK(stage.steps("send 1").empty());
    }
    SECTION("it has exited by itself: nothing is waited for") {
        stage.end(1);
        stage.on_send = dies_on(stage, Signal::terminate);
        const auto outcomes = stage.reap();
        CHECK(outcomes[0].result == OutcomeResult::ended_on_term);
        CHECK(outcomes[1].result == OutcomeResult::already_gone);
    }
    SECTION("it is still there afterwards: looked at again, and told") {
        stage.times().exiting = 20ms;
        stage.on_send = dies_on(stage, Signal::terminate);
        const auto outcomes = stage.reap();
        CHECK(outcomes[1].result == OutcomeResult::ended_on_term);
        CHECK(stage.steps("1") == Journal{"verify 1", "verify 1", "log 1 TERM", "send 1 TERM",
                                          "log 1 CONT", "send 1 CONT"});
        CHECK(stage.took >= 20ms);
    }
    SECTION("what it runs stays: it is left alone") {
        stage.target(0).step.grace = 20ms;
        stage.on_verify = [](int, int look) -> std::optional<std::string> {
            return look == 2 ? std::optional<std::string>("it listens now") : std::nullopt;
        };
        stage.times().exiting = 20ms;
        const auto outcomes = stage.reap();
        CHECK(outcomes[0].result == OutcomeResult::changed);
        CHECK(outcomes[1].result == OutcomeResult::changed);
        CHECK(has(outcomes[1].detail, "of its unit: it listens now"));
        CHECK(stage.steps("send 1").empty());
    }
    SECTION("an interrupt leaves it alone") {
        stage.on_send = [&](int, Signal) {
            stage.interrupt();
            return Result<Delivery>(Delivery::sent);
        };
        const auto outcomes = stage.reap();
        CHECK(outcomes[1].result == OutcomeResult::refused);
        CHECK(stage.steps("send 1").empty());
    }
}

TEST_CASE("A dry run shows all of a unit") {
    Stage stage(2);
    stage.join(0, 1);
    stage.on_admit = [](int) { return Delivery::withheld; };
    for (const Outcome& outcome : stage.reap()) CHECK(outcome.result == OutcomeResult::would_reap);
}

TEST_CASE("A database that gets on with its work extends the grace until it is done") {
    Stage stage(1);
    stage.target(0).step.grace_cap = 20s;
    stage.on_activity = [&](int nth) {
        if (nth == 5) stage.end(0);
        return moved(true, nth);
    };
    CHECK(stage.reap_one().result == OutcomeResult::ended_on_term);
    CHECK(stage.steps("send") == Journal{"send 0 TERM", "send 0 CONT"});
    CHECK(stage.took >= 60ms + 3 * 60ms);
}

TEST_CASE("A lock that is stuck extends nothing") {
    Stage stage(1);
    stage.target(0).step.grace_cap = 20s;
    stage.on_send = dies_on(stage, Signal::kill);
    int samples = 2;
    SECTION("from the first look") {
        stage.on_activity = [](int) { return moved(true, 7); };
    }
    SECTION("after one slice") {
        samples = 3;
        stage.on_activity = [](int nth) { return moved(true, std::min(nth, 2)); };
    }
    CHECK(stage.reap_one().result == OutcomeResult::ended_on_kill);
    CHECK(std::ranges::count(stage.journal, "activity 0") == samples);
    CHECK(stage.took < 10s);
}

TEST_CASE("The cap ends every extension, counted from TERM on") {
    Stage stage(1);
    stage.on_send = dies_on(stage, Signal::kill);
    stage.on_activity = [](int nth) { return moved(true, nth); };
    const Outcome outcome = stage.reap_one();
    CHECK(outcome.result == OutcomeResult::ended_on_kill);
    CHECK(outcome.took >= 400ms);
    CHECK(outcome.took < 5s);
}

TEST_CASE("A lock that flickers between transactions is found") {
    Stage stage(1);
    stage.target(0).step.grace_cap = 20s;
    stage.on_send = dies_on(stage, Signal::kill);
    stage.on_activity = [&](int nth) {
        if (nth == 6) stage.end(0);
        return moved(nth % 4 == 0, nth);
    };
    CHECK(stage.reap_one().result == OutcomeResult::ended_on_term);
    CHECK(stage.took >= 60ms + 60ms);
}

TEST_CASE("Work without any lock is looked at a few times, and then killed") {
    Stage stage(1);
    stage.target(0).step.grace_cap = 20s;
    stage.on_send = dies_on(stage, Signal::kill);
    stage.on_activity = [](int nth) { return moved(false, nth); };
    CHECK(stage.reap_one().result == OutcomeResult::ended_on_kill);
    CHECK(std::ranges::count(stage.journal, "activity 0") == 6);
    CHECK(stage.took < 10s);
}

TEST_CASE("No sample is taken before the last TERM was sent") {
    Stage stage(3);
    stage.on_send = dies_on(stage, Signal::kill);
    stage.reap();
    const auto first_sample = std::ranges::find(stage.journal, "activity 0");
    CHECK(std::ranges::find(stage.journal, "send 2 TERM") < first_sample);
}

TEST_CASE("Stubborn processes cost one grace period together") {
    Stage stage(20);
    for (std::size_t which = 0; which < 20; ++which)
        stage.target(which).step.grace = 500ms;  // ten seconds one after the other
    stage.on_send = dies_on(stage, Signal::kill);
    for (const Outcome& outcome : stage.reap())
        CHECK(outcome.result == OutcomeResult::ended_on_kill);
    CHECK(stage.took < 5s);
}

TEST_CASE("An interrupt before the first signal refuses all") {
    Stage stage(2);
    stage.interrupt();
    for (const Outcome& outcome : stage.reap()) {
        CHECK(outcome.result == OutcomeResult::refused);
        CHECK(outcome.detail == "interrupted");
    }
    CHECK(stage.journal.empty());
}

TEST_CASE("An interrupt between two targets spares the second") {
    Stage stage(2);
    stage.target(0).step.grace = stage.target(1).step.grace = 20s;
    stage.on_send = [&](int, Signal signal) {
        if (signal == Signal::resume) stage.interrupt();
        return Delivery::sent;
    };
    const auto outcomes = stage.reap();
    CHECK(outcomes[0].result == OutcomeResult::refused);
    CHECK(outcomes[0].detail == "interrupted while ending; TERM had been sent");
    CHECK(outcomes[1].result == OutcomeResult::refused);
    CHECK(stage.steps("send") == Journal{"send 0 TERM", "send 0 CONT"});
    CHECK(stage.took < 10s);
}

TEST_CASE("After an interrupt nothing is killed, and what has ended has ended") {
    Stage stage(2);
    stage.target(0).step.grace = stage.target(1).step.grace = 20s;
    stage.on_activity = [&, told = false](int) mutable {
        if (!std::exchange(told, true)) {
            stage.interrupt();
            stage.end(1);
        }
        return Activity{};
    };
    const auto outcomes = stage.reap();
    CHECK(outcomes[0].result == OutcomeResult::refused);
    CHECK(outcomes[1].result == OutcomeResult::ended_on_term);
    CHECK(stage.steps("KILL").empty());
    CHECK(stage.took < 10s);
}

TEST_CASE("An interrupt ends the wait at once") {
    Stage stage(1);
    stage.target(0).step.grace = 20s;
    stage.on_wait = [&] { stage.interrupt(); };
    CHECK(stage.reap_one().result == OutcomeResult::refused);
    CHECK(stage.took < 10s);
}

TEST_CASE("An interrupt between two KILLs spares the second") {
    Stage stage(2);
    stage.on_send = [&](int, Signal signal) {
        if (signal == Signal::kill) stage.interrupt();
        return Delivery::sent;
    };
    CHECK(stage.reap().front().result == OutcomeResult::survived);
    CHECK(stage.steps("send 0 KILL").size() == 1);
    CHECK(stage.steps("send 1 KILL").empty());
}

TEST_CASE("A handle that is opened for each step is opened before the look, and closed after") {
    Stage stage(1);
    const auto parts = stage.opening_parts();
    ReaperTarget target({{}, PidHandle::unopened(stage.pid(0))}, parts, stage.times());
    begin({&target});
    CHECK(target.terminating());
    target.release();
    stage.end(0);
    CHECK_FALSE(target.target().handle.exited());
    target.advance(Clock::now());
    CHECK_FALSE(target.running());
    CHECK(target.outcome().result == OutcomeResult::ended_on_term);
    CHECK(stage.journal == Journal{"open 0", "verify 0", "log 0 TERM", "send 0 TERM", "log 0 CONT",
                                   "send 0 CONT", "open 0", "verify 0"});
}

TEST_CASE("A handle that cannot be opened is an objection, or tells that the process is gone") {
    Stage stage(1);
    const auto parts = stage.opening_parts();
    ReaperTarget target({{}, PidHandle::unopened(stage.pid(0))}, parts, stage.times());
    SECTION("no descriptor is free") {
        stage.on_open = [](Pid) {
            return reaper::failure(std::errc::too_many_files_open, "open", "it");
        };
        begin({&target});
        CHECK(target.doubted());
    }
    SECTION("no process has that pid") {
        stage.on_open = [](Pid) { return reaper::failure(kGone, "open", "it"); };
        begin({&target});
        CHECK_FALSE(target.running());
        CHECK(target.outcome().result == OutcomeResult::already_gone);
    }
    CHECK(stage.journal == Journal{"open 0"});
}

TEST_CASE("A target that is to end at once is verified, and gets KILL alone") {
    Stage stage(1);
    const auto parts = stage.parts();
    ReaperTarget target(std::move(stage.target(0)), parts, stage.times());
    target.expire();
    CHECK(stage.journal.empty());
    target.advance(Clock::now());
    CHECK(stage.journal == Journal{"verify 0", "log 0 KILL", "send 0 KILL"});
    target.expire();  // changes nothing any more
    CHECK_FALSE(target.terminating());
    CHECK(target.running());
    stage.end(0);
    target.release();  // closes only what was opened for a step
    target.advance(Clock::now());
    CHECK(target.outcome().result == OutcomeResult::ended_on_kill);
    CHECK(target.outcome().took < 10s);
}

TEST_CASE("A target that was objected to is asked about once more only where that is asked for") {
    Stage stage(1);
    const auto parts = stage.parts();
    ReaperTarget target(std::move(stage.target(0)), parts, stage.times());
    stage.on_verify = [](int, int nth) {
        return nth == 2 ? std::optional<std::string>("just now") : std::nullopt;
    };
    begin({&target});
    target.set_grace(Clock::now(), Clock::now() + 20s);
    target.advance(Clock::now());
    CHECK(target.doubted());
    target.advance(Clock::now());
    CHECK(stage.steps("KILL").empty());
    SECTION("it gets KILL") {
        target.expire();
        target.advance(Clock::now());
        CHECK(stage.steps("KILL") == Journal{"log 0 KILL", "send 0 KILL"});
    }
    SECTION("it has the rest of its time while it works") {
        stage.on_activity = [](int nth) { return moved(true, nth); };
        target.expire();
        target.sample_at_term();
        target.advance(Clock::now());
        CHECK(target.extended());
        CHECK(stage.steps("KILL").empty());
    }
}

TEST_CASE("A grace that is set is extended up to its own cap") {
    Stage stage(1);
    const auto parts = stage.parts();
    ReaperTarget target(std::move(stage.target(0)), parts, stage.times());
    stage.on_activity = [](int nth) { return moved(true, nth); };
    begin({&target});
    const auto now = Clock::now();
    target.set_grace(now + 1s, now + 1s + 80ms);
    target.sample_at_term();
    target.advance(now + 999ms);
    CHECK_FALSE(target.extended());
    target.advance(now + 1s);
    CHECK(target.extended());
    CHECK(target.deadline() == now + 1s + 60ms);
    target.advance(now + 1s + 60ms);
    CHECK(target.deadline() == now + 1s + 80ms);
    CHECK(stage.steps("KILL").empty());
    target.advance(now + 1s + 80ms);
    CHECK_FALSE(target.extended());
    CHECK(stage.steps("KILL") == Journal{"log 0 KILL", "send 0 KILL"});
}

TEST_CASE("Nothing to do is done at once") {
    Stage stage(0);
    CHECK(stage.reap().empty());
}

TEST_CASE("A target that has ended before an interrupt has ended once") {
    Stage stage(2);
    stage.target(1).step.grace = 20s;
    stage.on_send = [&](int who, Signal) {
        if (who == 0) stage.end(0);
        return Delivery::sent;
    };
    stage.on_wait = [&] {
        if (stage.told == 1) stage.interrupt();
    };
    const auto outcomes = stage.reap();
    CHECK(outcomes[0].result == OutcomeResult::ended_on_term);
    CHECK(outcomes[1].result == OutcomeResult::refused);
}

TEST_CASE("What the door refuses only at KILL is not killed") {
    Stage stage(1);
    int asked = 0;
    stage.on_admit = [&](int) -> Result<Delivery> {
        if (++asked > 2)
            return reaper::failure(std::errc::operation_canceled, "signal", "an ancestor");
        return Delivery::sent;
    };
    const Outcome outcome = stage.reap_one();
    CHECK(outcome.result == OutcomeResult::refused);
    CHECK(stage.steps("KILL").empty());
}

TEST_CASE("A CONT that did not arrive is not among the signals that were sent") {
    Stage stage(1);
    stage.on_send = [&](int who, Signal signal) -> Result<Delivery> {
        if (signal == Signal::resume) return reaper::failure(kNotOurs, "signal", "it");
        if (signal == Signal::kill) stage.end(who);
        return Delivery::sent;
    };
    CHECK(stage.reap_one().signals == std::vector{Signal::terminate, Signal::kill});
}

TEST_CASE("A process whose work can no longer be read has its grace, and no more") {
    Stage stage(1);
    stage.target(0).step.grace_cap = 20s;
    stage.on_send = dies_on(stage, Signal::kill);
    stage.on_activity = [](int nth) -> Result<Activity> {
        if (nth == 1) return moved(true, nth);
        return reaper::failure(std::errc::permission_denied, "read", "it");
    };
    CHECK(stage.reap_one().result == OutcomeResult::ended_on_kill);
    CHECK(std::ranges::count(stage.journal, "activity 0") == 2);
    CHECK(stage.took < 10s);
}
