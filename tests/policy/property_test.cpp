// Random machines, and what must hold of every plan. The rules are checked against the facts themselves, in words of their own: nothing here
// asks what evidence the policy wrote.
#include <algorithm>
#include <random>

#include "tests/policy/judged.hpp"
#include "tests/support/catch.hpp"

namespace reaper::test {

namespace {

using policy::Judgement;
using policy::Settings;
using policy::Verdict;
using scanner::Access;
using scanner::EndKind;
using scanner::Facts;
using scanner::PeerState;
using scanner::Pid;
using scanner::ProcessFacts;
using scanner::ProcessRow;

constexpr int kMachines = 200'000;
constexpr Pid kShell = 60;
constexpr Pid kLauncher = 110;

// Most facts are those of an orphan, so that plans are seldom empty.
class Dice {
   public:
    explicit Dice(unsigned seed) : engine_(seed) {}
    bool one_in(unsigned sides) { return engine_() % sides == 0; }
    template <class T>
    T any(std::initializer_list<T> values) {
        return *(values.begin() + engine_() % values.size());
    }

   private:
    std::minstd_rand engine_;
};

template <class T>
void maybe_fail(Dice& dice, scanner::Reading<T>& reading) {
    if (dice.one_in(60)) reading.access = dice.any({Access::not_read, Access::denied, Access::gone, Access::malformed});
}

void roll_readings(Dice& dice, ProcessFacts& process) {
    maybe_fail(dice, process.uids);
    maybe_fail(dice, process.namespace_pids);
    maybe_fail(dice, process.same_pid_namespace);
    maybe_fail(dice, process.tracer);
    maybe_fail(dice, process.environment);
    maybe_fail(dice, process.script);
    maybe_fail(dice, process.standard_input);
    maybe_fail(dice, process.standard_output);
    maybe_fail(dice, process.listeners);
    maybe_fail(dice, process.unit);
    maybe_fail(dice, process.held_locks);
    maybe_fail(dice, process.row.exe);
    maybe_fail(dice, process.row.command_line);
}

void roll_values(Dice& dice, ProcessFacts& process) {
    if (dice.one_in(3)) process.row.ppid = dice.any<Pid>({0, 1, kHost, kShell, kLauncher, kGonePid});
    if (dice.one_in(40)) process.uids.value.saved = 0;
    if (dice.one_in(40)) set_uid(process, kUser + 1);
    if (dice.one_in(40)) process.tracer.value = 77;
    if (dice.one_in(40)) process.same_pid_namespace.value = false;
    if (dice.one_in(40)) process.namespace_pids.value.push_back(1);
    if (dice.one_in(20)) listen_on(process, dice.any<std::uint16_t>({18800, 9229}));
    if (dice.one_in(20)) set_start(process, kNow - dice.any<std::uint64_t>({10, 5000, 2 * kHour}));
    if (dice.one_in(20)) set_home(process, dice.any<std::string>({"/srv/other", "data", ""}));
    if (dice.one_in(40)) process.row.command_line.value.truncated = true;
    if (dice.one_in(40)) process.row.kernel_thread = true;
    if (dice.one_in(40)) process.row.state = 'Z';
    if (dice.one_in(40)) process.held_locks.value = {kHermesHome + "/gateway.lock"};
    if (dice.one_in(20)) process.unit.value.main_pid = process.row.pid;
    if (dice.one_in(60)) process.identity.boot_id.clear();
    for (auto* end : {&process.standard_input, &process.standard_output}) {
        if (dice.one_in(5)) end->value.peer = dice.any({PeerState::alive, PeerState::unknown});
        if (dice.one_in(40)) end->value.kind = EndKind::terminal;
    }
}

FactsBuilder roll(Dice& dice) {
    FactsBuilder builder;
    builder.relative(row(kShell, 1, "/usr/bin/bash", {"bash"}));
    if (dice.one_in(2)) builder.orphan_bridge(100);
    if (dice.one_in(2)) builder.orphan_pair(kLauncher, 120);
    if (dice.one_in(2)) builder.daemon(130);
    if (dice.one_in(2)) builder.listening_daemon(140);
    if (dice.one_in(2)) builder.orphan_worker(150, dice.any<Pid>({kGonePid, kHost}));
    if (dice.one_in(2)) builder.attached_bridge(160, kHost).attached_bridge(170, kHost);
    for (const ProcessFacts& process : Facts(builder.facts()).candidates) {
        roll_readings(dice, builder[process.row.pid]);
        roll_values(dice, builder[process.row.pid]);
    }
    if (dice.one_in(10)) builder.claim(claim_of(scanner::ClaimKind::bridge_pid, kHome, dice.any<Pid>({100, 130, 140})));
    if (dice.one_in(20)) builder.machine().self = dice.any<Pid>({100, 120, 150});
    if (dice.one_in(20)) builder.machine().own_ancestors = {dice.any<Pid>({100, kLauncher, 150}), 1};
    if (dice.one_in(100)) builder.machine().has_handles = false;
    return builder;
}

Settings roll_settings(Dice& dice) {
    Settings settings;
    if (dice.one_in(2)) settings.uids = {kUser};
    if (dice.one_in(2)) settings.also_reap.insert(Verdict::abandoned);
    if (dice.one_in(2)) settings.also_reap.insert(Verdict::duplicate);
    if (dice.one_in(2)) settings.also_reap.insert(Verdict::held);
    return settings;
}

const ProcessFacts& process_of(const Facts& facts, Pid pid) {
    return *std::find_if(facts.candidates.begin(), facts.candidates.end(),
                         [pid](const ProcessFacts& process) { return process.row.pid == pid; });
}

bool lives(const Facts& facts, Pid pid) {
    const auto is_it = [pid](const auto& row) { return row.pid == pid; };
    return std::any_of(facts.relatives.begin(), facts.relatives.end(), is_it) ||
           std::any_of(facts.candidates.begin(), facts.candidates.end(),
                       [&](const ProcessFacts& process) { return is_it(process.row); });
}

bool was_all_read(const ProcessFacts& process) {
    const bool has_script = process.row.exe.value.ends_with("node");
    return process.row.exe.ok() && process.row.command_line.ok() && !process.row.command_line.value.truncated &&
           process.uids.ok() && process.namespace_pids.ok() && process.same_pid_namespace.ok() && process.tracer.ok() &&
           process.environment.ok() && process.standard_input.ok() && process.standard_output.ok() &&
           process.listeners.ok() && process.held_locks.ok() && (!has_script || process.script.ok()) &&
           (process.unit.ok() || process.unit.access == Access::gone);
}

bool is_own_kind(const ProcessFacts& process, const Settings& settings) {
    const scanner::Uids& uids = process.uids.value;
    const bool one_user = uids.real == uids.saved && uids.real == uids.effective && uids.real == uids.filesystem;
    return one_user && (settings.uids.empty() || uids.real == settings.uids.front()) &&
           process.same_pid_namespace.value && process.namespace_pids.value.size() == 1;
}

bool is_of_this_program(const Facts& facts, Pid pid) {
    const auto& ancestors = facts.machine.own_ancestors;
    return pid == facts.machine.self || std::find(ancestors.begin(), ancestors.end(), pid) != ancestors.end();
}

bool runs_node(const ProcessFacts& process) {
    return process.row.state != 'Z' && process.row.exe.ok() && process.row.exe.value.ends_with("node") &&
           process.row.command_line.ok();
}

bool was_launched(const Facts& facts, const ProcessFacts& process) {
    return process.row.ppid == kLauncher && process.row.pid != kLauncher && runs_node(process) &&
           lives(facts, kLauncher) && runs_node(process_of(facts, kLauncher));
}

// Its parent, or that of its launcher, lives, is not pid 1, and began before it.
bool has_live_parent(const Facts& facts, const ProcessFacts& process) {
    const ProcessRow& eldest = was_launched(facts, process) ? process_of(facts, kLauncher).row : process.row;
    const std::uint64_t parent_start = eldest.ppid == kShell ? kNow - kHour
                                       : eldest.ppid == kLauncher && lives(facts, kLauncher)
                                           ? process_of(facts, kLauncher).row.start_ticks
                                           : 0;
    const bool began_later = parent_start > eldest.start_ticks;
    return eldest.ppid != 1 && !began_later;
}

// What is wrong with ending this process. Empty: nothing.
std::string objection(const Facts& facts, const Settings& settings, const Judgement& step) {
    const Pid pid = step.identity.pid;
    if (pid <= 1) return "pid 1";
    const ProcessFacts& process = process_of(facts, pid);
    if (is_of_this_program(facts, pid)) return "this program";
    if (!facts.machine.has_handles) return "no handle";
    if (process.identity.boot_id.empty()) return "no identity";
    if (!was_all_read(process)) return "something was not read";
    if (!is_own_kind(process, settings)) return "somebody else's";
    if (!process.listeners.value.empty()) return "it listens";
    if (process.tracer.value != 0) return "it is traced";
    if (process.row.kernel_thread || process.row.state == 'Z') return "nothing that can be ended";
    if (process.unit.ok() && process.unit.value.main_pid == pid) return "a service's main process";
    if (!process.held_locks.value.empty()) return "it holds a lock";
    if (facts.machine.now_ticks - process.row.start_ticks < 18'000) return "it is young";
    const bool opted_in = settings.also_reap.contains(step.verdict);
    const bool talks = step.verdict == Verdict::abandoned || step.verdict == Verdict::duplicate;
    if (has_live_parent(facts, process) && !(talks && opted_in)) return "its host lives";
    const bool by_default = step.verdict == Verdict::orphan || step.verdict == Verdict::superseded;
    if (!by_default && !opted_in) return "a verdict that nobody asked for";
    for (const scanner::Claim& claim : facts.claims) {
        const bool its_home = process.environment.value.at("MEMOS_HOME") == claim.home;
        if (claim.pid == pid && its_home && process.row.uid == kUser) return "a pid file names it";
    }
    return "";
}

// A launcher and its children, all in the plan or none.
bool is_whole(const Facts& facts, const std::vector<Judgement>& steps) {
    const auto is_planned = [&](Pid pid) {
        return std::any_of(steps.begin(), steps.end(),
                           [pid](const Judgement& step) { return step.identity.pid == pid; });
    };
    return std::all_of(facts.candidates.begin(), facts.candidates.end(), [&](const ProcessFacts& process) {
        return !was_launched(facts, process) || is_planned(process.row.pid) == is_planned(kLauncher);
    });
}

}  // namespace

TEST_CASE("no plan of any machine ends whom it must not") {
    Dice dice(20261118);
    const policy::Rules rules = policy::built_in_rules();
    std::size_t ended = 0;
    for (int machine = 0; machine < kMachines; ++machine) {
        const FactsBuilder builder = roll(dice);
        const Settings settings = roll_settings(dice);
        const auto plan = policy::make_plan(policy::judge(builder.facts(), rules, settings), 256);
        ended += plan.steps.size();
        for (const Judgement& step : plan.steps) {
            const std::string wrong = objection(builder.facts(), settings, step);
            if (wrong.empty() && vetoes_of(step).empty()) continue;
            INFO("machine " << machine << ", pid " << step.identity.pid << ", " << to_string(step.verdict));
            REQUIRE(wrong == "");
            REQUIRE(vetoes_of(step).empty());
        }
        if (!is_whole(builder.facts(), plan.steps)) {
            INFO("machine " << machine);
            REQUIRE(is_whole(builder.facts(), plan.steps));
        }
    }
    CHECK(ended > kMachines / 4);  // the dice do make leaks
}

}  // namespace reaper::test
