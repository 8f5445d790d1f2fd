// Random machines, and what must hold of every plan. The rules are checked against the facts
// themselves, in words of their own: nothing here asks what evidence the policy wrote.
#include <algorithm>
#include <cstdlib>
#include <random>

#include "policy/verdict/suspects.hpp"
#include "scanner/exited.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/policy/verdict/judged.hpp"

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

constexpr long kMachines = 10'000;  // of each of the five tests below
constexpr Pid kShell = 60;
// A shell that only runs what it has below it.
constexpr Pid kWrapper = 65;
constexpr Pid kLauncher = 110;
constexpr Pid kServer = 180;
constexpr Pid kGateway = 190;
constexpr Pid kFixedServer = 191;
constexpr Pid kSession = 192;
constexpr Pid kCronWorker = 260;
constexpr Pid kMeetBot = 270;
constexpr Pid kBrowser = 200;
const std::string kSockets = "/tmp/agent-browser-h_1";

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
    if (dice.one_in(60))
        reading.access =
            dice.any({Access::not_read, Access::denied, Access::gone, Access::malformed});
}

void roll_readings(Dice& dice, ProcessFacts& process) {
    maybe_fail(dice, process.uids);
    maybe_fail(dice, process.namespace_pids);
    maybe_fail(dice, process.same_pid_namespace);
    maybe_fail(dice, process.same_root);
    maybe_fail(dice, process.same_home);
    maybe_fail(dice, process.hidden_records);
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
    if (dice.one_in(3))
        process.row.ppid = dice.any<Pid>({0, 1, kHost, kShell, kWrapper, kLauncher, kGonePid});
    if (dice.one_in(40)) process.uids.value.saved = 0;
    if (dice.one_in(40)) set_uid(process, kUser + 1);
    if (dice.one_in(40)) process.tracer.value = 77;
    if (dice.one_in(40)) process.same_pid_namespace.value = false;
    if (dice.one_in(40)) process.same_root.value = false;
    if (dice.one_in(40)) process.same_home.value = false;
    if (dice.one_in(40)) process.hidden_records.value = {"/home/u"};
    if (dice.one_in(40)) process.namespace_pids.value.push_back(1);
    if (dice.one_in(20)) listen_on(process, dice.any<std::uint16_t>({18800, 18811, 9229}));
    if (dice.one_in(20)) process.environment.value["NODE_OPTIONS"] = "--inspect";
    if (dice.one_in(20)) process.row.session = dice.any<Pid>({0, 1, 41, process.row.pid});
    if (dice.one_in(20)) set_start(process, kNow - dice.any<std::uint64_t>({10, 5000, 2 * kHour}));
    if (dice.one_in(20)) set_home(process, dice.any<std::string>({"/srv/other", "data", ""}));
    if (dice.one_in(40)) process.row.command_line.value.truncated = true;
    if (dice.one_in(40)) process.row.kernel_thread = true;
    if (dice.one_in(40)) process.row.forked = true;
    if (dice.one_in(10)) process.cwd_deleted = true;
    if (dice.one_in(10)) process.environment.value["CLAUDECODE"] = "1";
    if (dice.one_in(40)) process.row.state = 'Z';
    if (dice.one_in(40)) process.held_locks.value = {kHermesHome + "/gateway.lock"};
    if (dice.one_in(20)) process.unit.value.main_pid = process.row.pid;
    if (dice.one_in(20)) process.unit.value.control_pid = process.row.pid;
    if (dice.one_in(20)) process.unit.value.name = "agents.service";
    if (dice.one_in(20)) process.unit.value.asked = dice.one_in(2);
    if (dice.one_in(60)) process.identity.boot_id.clear();
    for (auto* end : {&process.standard_input, &process.standard_output}) {
        if (dice.one_in(5)) end->value.peer = dice.any({PeerState::alive, PeerState::unknown});
        if (dice.one_in(40)) end->value.kind = EndKind::terminal;
    }
}

// Often an init, sometimes what a container runs as its first process.
void roll_first_process(Dice& dice, ProcessRow& first) {
    if (!dice.one_in(10)) return;
    const std::string name = dice.any({"tini", "supervisor", "bash", "systemd"});
    first.exe.value = "/usr/bin/" + name;
    first.comm = name;
    first.session = dice.any<Pid>({0, 1, 40, 41});
}

const char* const kPython = "/usr/bin/python3.11";

void roll_hermes(Dice& dice, FactsBuilder& builder) {
    const auto add = [&](Pid pid, const char* exe, std::vector<std::string> argv) {
        if (dice.one_in(3)) builder.orphan(row(pid, 1, exe, std::move(argv)));
    };
    const std::string owner = std::to_string(dice.any<Pid>({kGonePid, kHost}));
    add(kServer, kPython, {"python", "-m", "hermes_cli.main", "serve", "--port", "0"});
    add(kGateway, kPython, {"python", "/v/bin/hermes", "gateway", "run"});
    add(kFixedServer, kPython, {"python", "/v/bin/hermes", "dashboard", "--port", "9119"});
    add(kSession, kPython, {"python", "/v/bin/hermes", "chat"});
    add(kBrowser, "/opt/chrome", {"chrome", "--user-data-dir=/tmp/agent-browser-chrome-1"});
    add(210, kPython, {"python", "/x/mcp_stdio_watchdog.py", "--ppid", owner});
    add(220, "/usr/bin/node", {"node", "/home/u/.npm/_npx/1/node_modules/.bin/x-mcp"});
    add(230, "/usr/bin/node", {"npm exec x-mcp", "", ""});
    add(240, kPython, {"python", "-m", "tui_gateway.compute_host"});
    add(250, kPython, {"python", "/tmp/hermes_kernel_x/hermes_kernel_runner.py"});
    add(kCronWorker, kPython, {"python", "-m", "cron.scheduler", "--external-worker-file", "/x"});
    add(kMeetBot, kPython, {"python", "-m", "plugins.google_meet.meet_bot"});
    for (const ProcessFacts& process : Facts(builder.facts()).candidates) {
        auto& variables = builder[process.row.pid].environment.value;
        if (process.row.pid == kServer && dice.one_in(2)) variables["HERMES_PARENT_PID"] = owner;
        variables["AGENT_BROWSER_SOCKET_DIR"] = kSockets;
        variables["HERMES_KERNEL_SPILL_DIR"] = "/tmp/hermes_kernel_x";
    }
}

// What started the browser is gone, or lives since before all others, or cannot be looked at.
void roll_browser_owner(Dice& dice, FactsBuilder& builder) {
    scanner::Claim claim =
        claim_of(scanner::ClaimKind::browser_owner, dice.any({kSockets, kHome}), 0);
    claim.spawner = 61;
    claim.spawner_row.access = dice.any({Access::gone, Access::gone, Access::ok, Access::denied});
    claim.spawner_row.value = row(61, 1, kPython, {"hermes"});
    claim.spawner_row.value.start_ticks = kNow - 3 * kHour;
    builder.claim(std::move(claim));
}

// The gateway, or one that had its pid before, or one that is not known.
void roll_keepalive(Dice& dice, FactsBuilder& builder) {
    const auto start = dice.any<std::uint64_t>({kNow - 3 * kHour, kNow - 4 * kHour});
    const auto last = dice.any<std::uint64_t>({kNow - 1000, kNow - kHour / 2});
    builder.keepalive({kUser, "bridge", kHome, dice.any<Pid>({kHost, 0}), start, "hermes",
                       dice.any<std::size_t>({2, 3}), last});
}

FactsBuilder roll(Dice& dice) {
    FactsBuilder builder;
    roll_first_process(dice, builder.first_process());
    builder.relative(row(kShell, 1, "/usr/bin/bash", {"bash"}));
    builder.wrapper(
        row(kWrapper, dice.any<Pid>({1, kHost, kShell}), "/usr/bin/dash", {"sh", "-c", "helper"}));
    if (dice.one_in(2)) builder.orphan_bridge(100);
    if (dice.one_in(2)) builder.orphan_pair(kLauncher, 120);
    if (dice.one_in(2)) builder.daemon(130);
    if (dice.one_in(2)) builder.listening_daemon(140);
    if (dice.one_in(2)) builder.orphan_worker(150, dice.any<Pid>({kGonePid, kHost}));
    if (dice.one_in(2)) builder.attached_bridge(160, kHost).attached_bridge(170, kHost);
    roll_hermes(dice, builder);
    while (dice.one_in(2)) roll_browser_owner(dice, builder);
    for (const ProcessFacts& process : Facts(builder.facts()).candidates) {
        roll_readings(dice, builder[process.row.pid]);
        roll_values(dice, builder[process.row.pid]);
    }
    if (dice.one_in(10))
        builder.claim(
            claim_of(scanner::ClaimKind::bridge_pid, kHome, dice.any<Pid>({100, 130, 140})));
    if (dice.one_in(20))
        builder.claim(claim_of(scanner::ClaimKind::update_marker, "/srv/hermes", 70));
    if (dice.one_in(5)) roll_keepalive(dice, builder);
    if (dice.one_in(20)) builder.unread(kGonePid);
    if (dice.one_in(20)) builder.real_home("/srv/other", kHome);
    if (dice.one_in(20)) builder.machine().self = dice.any<Pid>({100, 120, 150});
    if (dice.one_in(20))
        builder.machine().own_ancestors = {dice.any<Pid>({100, kLauncher, 150}), 1};
    if (dice.one_in(100)) builder.machine().has_handles = false;
    return builder;
}

// The same machine with macOS, where the kernel tells what started a process.
FactsBuilder roll_mac(Dice& dice) {
    using scanner::FirstParent;
    FactsBuilder builder = roll(dice).on_mac();
    for (const ProcessFacts& process : Facts(builder.facts()).candidates) {
        ProcessFacts& one = builder[process.row.pid];
        if (dice.one_in(3))
            one.first_parent = dice.any(
                {FirstParent::not_told, FirstParent::dead, FirstParent::alive, FirstParent::launchd,
                 FirstParent::orphan_that_executed, FirstParent::launchd_or_orphan});
        if (dice.one_in(40)) one.identity.exec_version.reset();
        if (dice.one_in(40)) one.identity.pidfs_inode.reset();
        if (dice.one_in(40)) one.tracer.value = -1;
    }
    return builder;
}

Settings roll_settings(Dice& dice) {
    Settings settings;
    if (dice.one_in(2)) settings.uids = {kUser};
    if (dice.one_in(2)) settings.also_reap.insert(Verdict::abandoned);
    if (dice.one_in(2)) settings.also_reap.insert(Verdict::duplicate);
    if (dice.one_in(2)) settings.also_reap.insert(Verdict::held);
    settings.reap_inside_services = dice.one_in(2);
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
    const auto& argv = process.row.command_line.value.argv;
    const bool has_script = argv.size() > 1 && argv[1].starts_with("/");
    return process.row.exe.ok() && process.row.command_line.ok() &&
           !process.row.command_line.value.truncated && process.uids.ok() &&
           process.namespace_pids.ok() && process.same_pid_namespace.ok() && process.tracer.ok() &&
           process.same_root.ok() && process.same_home.ok() && process.hidden_records.ok() &&
           process.environment.ok() && process.standard_input.ok() &&
           process.standard_output.ok() && process.listeners.ok() && process.held_locks.ok() &&
           (!has_script || process.script.ok()) &&
           (process.unit.ok() || process.unit.access == Access::gone);
}

bool is_own_kind(const ProcessFacts& process, const Settings& settings) {
    const scanner::Uids& uids = process.uids.value;
    const bool one_user =
        uids.real == uids.saved && uids.real == uids.effective && uids.real == uids.filesystem;
    return one_user && (settings.uids.empty() || uids.real == settings.uids.front()) &&
           process.same_pid_namespace.value && process.namespace_pids.value.size() == 1 &&
           process.same_root.value && process.same_home.value &&
           process.hidden_records.value.empty();
}

bool is_of_this_program(const Facts& facts, Pid pid) {
    const auto& ancestors = facts.machine.own_ancestors;
    return pid == facts.machine.self ||
           std::find(ancestors.begin(), ancestors.end(), pid) != ancestors.end();
}

bool runs_bridge(const ProcessFacts& process) {
    const auto& argv = process.row.command_line.value.argv;
    return process.row.state != 'Z' && process.row.exe.ok() && process.row.command_line.ok() &&
           std::find(argv.begin(), argv.end(), "--agent=hermes") != argv.end();
}

bool was_launched(const Facts& facts, const ProcessFacts& process) {
    return process.row.ppid == kLauncher && process.row.pid != kLauncher && runs_bridge(process) &&
           lives(facts, kLauncher) && runs_bridge(process_of(facts, kLauncher));
}

// An init, or a process that was never in the session of its child, as neither of them founded one.
bool first_process_adopts(const Facts& facts, const ProcessRow& child) {
    const ProcessRow& first = facts.relatives.front();
    const bool is_init = first.comm == "systemd" || first.comm == "tini";
    const bool founders = first.session == 1 || child.session == child.pid;
    return is_init || (!founders && first.session != child.session);
}

// It is in session 40, and leads none.
bool is_from_another_session(const ProcessRow& child) {
    return child.session != 40 && child.session != child.pid;
}

bool shell_adopts(const ProcessRow& child) {
    return child.start_ticks < kNow - kHour || is_from_another_session(child);
}

// To most families the gateway is a host whatever its session; to these it is like any other
// program.
bool gateway_adopts(const ProcessRow& child) {
    const bool has_other_hosts =
        child.pid == kServer || child.pid == kBrowser || child.pid == 220 || child.pid == 230;
    return has_other_hosts && is_from_another_session(child);
}

bool is_dead(const scanner::Reading<scanner::StdioEnd>& end) {
    return end.ok() && end.value.peer == PeerState::dead;
}

// The wrapper is a shell as the other one is. If it has lost its own parent, what it runs has lost
// its host, unless something can still talk to that.
bool wrapper_adopts(const Facts& facts, const ProcessFacts& process, const ProcessRow& eldest) {
    if (shell_adopts(eldest)) return true;
    const auto wrapper = std::ranges::find(facts.relatives, kWrapper, &ProcessRow::pid);
    const bool cut_off = is_dead(process.standard_input) && is_dead(process.standard_output);
    return cut_off && wrapper->ppid == 1 && first_process_adopts(facts, *wrapper);
}

// On a Mac: only launchd adopts, and the kernel says that what started it, or its launcher, is
// dead.
bool has_lost_starter(const Facts& facts, const ProcessFacts& process) {
    using scanner::FirstParent;
    const ProcessFacts& eldest =
        was_launched(facts, process) ? process_of(facts, kLauncher) : process;
    const bool cut_off = is_dead(process.standard_input) && is_dead(process.standard_output);
    return eldest.row.ppid == 1 &&
           (eldest.first_parent == FirstParent::dead ||
            (eldest.first_parent == FirstParent::orphan_that_executed && cut_off));
}

// Its parent, or that of its launcher, lives and may have started it.
bool has_live_parent(const Facts& facts, const ProcessFacts& process) {
    const ProcessRow& eldest =
        was_launched(facts, process) ? process_of(facts, kLauncher).row : process.row;
    if (eldest.ppid == 1) return !first_process_adopts(facts, eldest);
    if (eldest.ppid == kShell) return !shell_adopts(eldest);
    if (eldest.ppid == kWrapper) return !wrapper_adopts(facts, process, eldest);
    if (eldest.ppid == kHost) return !gateway_adopts(eldest);
    if (eldest.ppid != kLauncher || !lives(facts, kLauncher)) return true;
    const ProcessRow& launcher = process_of(facts, kLauncher).row;
    const bool in_own_session = eldest.session == eldest.pid || launcher.session == kLauncher;
    const bool started_elsewhere = !in_own_session && launcher.session != eldest.session;
    return launcher.start_ticks <= eldest.start_ticks && !started_elsewhere;
}

bool owns_port(const ProcessFacts& process, std::uint16_t port) {
    const auto& listeners = process.listeners.value;
    return process.listeners.ok() &&
           std::any_of(listeners.begin(), listeners.end(),
                       [port](const auto& listener) { return listener.port == port; });
}

bool outlives_host(const ProcessFacts& process) {
    return process.row.command_line.value.argv.back() == "--daemon";
}

// On a port that is certainly no debugger's.
bool serves_elsewhere(const ProcessFacts& process) {
    return outlives_host(process) && owns_port(process, 18811) &&
           !process.environment.value.contains("NODE_OPTIONS");
}

std::string home_of(const Facts& facts, const ProcessFacts& process) {
    const std::string& home = process.environment.value.at("MEMOS_HOME");
    if (home.empty()) return kHome;  // the family's default
    return facts.real_paths.contains(home) ? facts.real_paths.at(home) : home;
}

// Counts the living bridges of its user and home for which that is true.
template <class Condition>
std::size_t count_bridges(const Facts& facts, const ProcessFacts& of, const Condition& condition) {
    return static_cast<std::size_t>(std::count_if(
        facts.candidates.begin(), facts.candidates.end(), [&](const ProcessFacts& process) {
            const bool may_be_here = !process.same_root.ok() || process.same_root.value;
            const bool serves_ours = !process.same_home.ok() || process.same_home.value;
            return may_be_here && serves_ours && runs_bridge(process) && process.environment.ok() &&
                   process.row.uid == of.row.uid && condition(process) &&
                   home_of(facts, process) == home_of(facts, of);
        }));
}

// Those that own the daemon's port; where none does, the daemons that listen elsewhere: one counts
// only if that is no debugger's port.
std::size_t count_daemons(const Facts& facts, const ProcessFacts& of) {
    const auto usual = count_bridges(
        facts, of, [](const ProcessFacts& process) { return owns_port(process, 18800); });
    if (usual > 0) return usual;
    const auto listening = count_bridges(facts, of, [](const ProcessFacts& process) {
        return outlives_host(process) && (owns_port(process, 18811) || owns_port(process, 9229));
    });
    return listening > 1 ? listening : count_bridges(facts, of, serves_elsewhere);
}

bool has_open_terminal(const ProcessFacts& process) {
    const auto is_open = [](const scanner::StdioEnd& end) {
        return end.kind == EndKind::terminal && end.peer != PeerState::dead;
    };
    return is_open(process.standard_input.value) || is_open(process.standard_output.value);
}

// What a worker, a watchdog or a server records as its owner.
std::string recorded_owner(const ProcessFacts& process) {
    if (process.row.pid != kServer) return process.row.command_line.value.argv.back();
    const auto found = process.environment.value.find("HERMES_PARENT_PID");
    return found == process.environment.value.end() ? "" : found->second;
}

// Whether what started a browser may still live.
bool has_browser_owner(const Facts& facts) {
    return std::any_of(facts.claims.begin(), facts.claims.end(), [](const scanner::Claim& claim) {
        return claim.home == kSockets && claim.spawner_row.access != Access::gone;
    });
}

// A process that is not its parent, and lives and is older, or could not be looked at.
bool has_owner(const Facts& facts, const ProcessFacts& process) {
    const std::string recorded = recorded_owner(process);
    if (process.row.pid == kBrowser && has_browser_owner(facts)) return true;
    if (recorded == std::to_string(kGonePid)) return !facts.unread.empty();
    return recorded == std::to_string(kHost) && process.row.ppid != kHost;
}

bool has_proof(const Facts& facts, const ProcessFacts& process) {
    const bool silent = process.standard_input.value.peer == PeerState::dead &&
                        process.standard_output.value.peer == PeerState::dead;
    if (process.row.pid != kBrowser)
        return silent || recorded_owner(process) == std::to_string(kGonePid);
    return std::any_of(facts.claims.begin(), facts.claims.end(),
                       [](const scanner::Claim& claim) { return claim.home == kSockets; });
}

std::string objection_by_files(const Facts& facts, const ProcessFacts& process) {
    for (const scanner::Claim& claim : facts.claims) {
        if (process.row.uid != kUser) continue;
        if (claim.kind == scanner::ClaimKind::update_marker) return "its user updates";
        const bool its_home = home_of(facts, process) == claim.home;
        if (claim.pid == process.row.pid && its_home) return "a pid file names it";
    }
    return "";
}

std::string objection_by_verdict(const Facts& facts, const Judgement& step,
                                 const ProcessFacts& process) {
    if (step.verdict == Verdict::superseded &&
        (!outlives_host(process) || count_daemons(facts, process) != 1)) {
        return "there is not one daemon that supersedes it";
    }
    if (step.verdict == Verdict::orphan && has_open_terminal(process)) return "a terminal";
    if (step.verdict == Verdict::orphan && !has_proof(facts, process)) return "nothing proves it";
    if (runs_bridge(process) && count_daemons(facts, process) > 1)
        return "nobody knows which is the daemon";
    if (step.verdict == Verdict::duplicate) {
        const ProcessRow& newest = process_of(facts, step.relies_on.at(0)).row;
        if (facts.machine.now_ticks - newest.start_ticks < 18'000) return "the newer one is young";
    }
    return "";
}

// Why no sweep of this user may end it.
std::string objection_by_owner(const Facts& facts, const Settings& settings,
                               const ProcessFacts& process) {
    const Pid pid = process.row.pid;
    if (is_of_this_program(facts, pid)) return "this program";
    if (pid == kGateway || pid == kFixedServer || pid == kSession || pid == kCronWorker ||
        pid == kMeetBot)
        return "a family that is never ended";
    if (!facts.machine.has_handles) return "no handle";
    if (process.identity.boot_id.empty()) return "no identity";
    if (!was_all_read(process)) return "something was not read";
    if (!is_own_kind(process, settings)) return "somebody else's";
    if (process.row.kernel_thread || process.row.state == 'Z') return "nothing that can be ended";
    const std::string& exe = process.row.exe.value;
    const bool interpreted =
        exe.find("python") != std::string::npos || exe.find("node") != std::string::npos;
    if (process.row.forked && interpreted) return "it runs what another process forked it for";
    return has_owner(facts, process) ? "who started it may live" : "";
}

std::string objection_by_state(const Facts& facts, const ProcessFacts& process) {
    if (!process.listeners.value.empty()) return "it listens";
    if (process.tracer.value != 0) return "it is traced";
    if (process.unit.ok() && process.unit.value.main_pid == process.row.pid)
        return "a service's main process";
    if (process.unit.ok() && process.unit.value.control_pid == process.row.pid)
        return "it starts or stops a service";
    const bool in_service = process.unit.ok() && process.unit.value.name.ends_with(".service");
    if (in_service && !process.unit.value.main_pid) return "a service's main process, perhaps";
    if (!process.held_locks.value.empty()) return "it holds a lock";
    if (facts.machine.now_ticks - process.row.start_ticks < 18'000) return "it is young";
    return "";
}

std::string objection_by_option(const Facts& facts, const Settings& settings, const Judgement& step,
                                const ProcessFacts& process) {
    const bool opted_in = settings.also_reap.contains(step.verdict);
    const bool talks = step.verdict == Verdict::abandoned || step.verdict == Verdict::duplicate;
    if (has_live_parent(facts, process) && !(talks && opted_in)) return "its host lives";
    const bool by_default = step.verdict == Verdict::orphan || step.verdict == Verdict::superseded;
    return by_default || opted_in ? "" : "a verdict that nobody asked for";
}

// The living gateway starts it again each time, or an unknown process does, and did so just now.
std::string objection_by_keepalive(const scanner::Record& facts, const Judgement& step,
                                   const ProcessFacts& process) {
    if (!runs_bridge(process) || process.row.uid != kUser) return "";
    const ProcessRow& eldest =
        was_launched(facts, process) ? process_of(facts, kLauncher).row : process.row;
    for (const scanner::Keepalive& keepalive : facts.keepalives) {
        if (keepalive.ends < 3 || home_of(facts, process) != keepalive.home) continue;
        const bool by_gateway = eldest.ppid == kHost && keepalive.host == kHost &&
                                keepalive.host_start_ticks == kNow - 3 * kHour;
        const bool just_now = keepalive.host == 0 && keepalive.last_ticks == kNow - 1000;
        if (by_gateway || (just_now && step.verdict == Verdict::superseded))
            return "it is started again each time";
    }
    return "";
}

// What is wrong with ending this process. Empty: nothing.
std::string objection(const scanner::Record& facts, const Settings& settings,
                      const Judgement& step) {
    if (step.identity.pid <= 1) return "pid 1";
    const ProcessFacts& process = process_of(facts, step.identity.pid);
    std::string wrong = objection_by_owner(facts, settings, process);
    if (wrong.empty()) wrong = objection_by_state(facts, process);
    if (wrong.empty()) wrong = objection_by_option(facts, settings, step, process);
    if (wrong.empty()) wrong = objection_by_files(facts, process);
    if (wrong.empty()) wrong = objection_by_verdict(facts, step, process);
    if (wrong.empty()) wrong = objection_by_keepalive(facts, step, process);
    return wrong;
}

// The gate asks its optimised build for more by REAPER_PROPERTY_SETS.
long number_of_machines() {
    const char* wanted = std::getenv("REAPER_PROPERTY_SETS");
    const long number = wanted == nullptr ? 0 : std::strtol(wanted, nullptr, 10);
    return number > 0 ? number : kMachines;
}

// A launcher and its children, all in the plan or none.
bool is_whole(const Facts& facts, const std::vector<Judgement>& steps) {
    const auto is_planned = [&](Pid pid) {
        return std::any_of(steps.begin(), steps.end(),
                           [pid](const Judgement& step) { return step.identity.pid == pid; });
    };
    return std::all_of(
        facts.candidates.begin(), facts.candidates.end(), [&](const ProcessFacts& process) {
            return !was_launched(facts, process) || scanner::has_exited(process.row) ||
                   is_planned(process.row.pid) == is_planned(kLauncher);
        });
}

// Every family and pack is on, and every orphan is to be ended: what is kept, a veto or a lack of
// proof keeps.
policy::Rules eager_rules() {
    policy::Rules rules = all_rules();
    for (policy::FamilyRule& rule : rules.families)
        rule.actions[Verdict::orphan] = policy::Action::reap;
    return rules;
}

void check_machines(unsigned seed) {
    Dice dice(seed);
    const policy::Rules rules = eager_rules();
    long ended = 0;
    const long machines = number_of_machines();
    for (long machine = 0; machine < machines; ++machine) {
        const FactsBuilder builder = roll(dice);
        const Settings settings = roll_settings(dice);
        const auto plan = policy::make_plan(
            policy::judge(builder.facts(), rules, settings, builder.facts().keepalives), 256);
        ended += static_cast<long>(plan.steps.size());
        for (const Judgement& step : plan.steps) {
            const std::string wrong = objection(builder.facts(), settings, step);
            if (wrong.empty() && vetoes_of(step).empty()) continue;
            INFO("machine " << machine << ", pid " << step.identity.pid << ", "
                            << to_string(step.verdict));
            REQUIRE(wrong == "");
            REQUIRE(vetoes_of(step).empty());
        }
        if (!is_whole(builder.facts(), plan.steps)) {
            INFO("machine " << machine);
            REQUIRE(is_whole(builder.facts(), plan.steps));
        }
    }
    CHECK(ended > machines / 4);  // the dice do make leaks
}

// Processes that are no members, below some that are, and members below those.
void roll_below(Dice& dice, FactsBuilder& builder) {
    for (Pid pid = 300; dice.one_in(2); pid += 10)
        builder.below(row(pid, dice.any<Pid>({100, kLauncher, 120, 140, 150, 170, 300}),
                          "/usr/bin/" + dice.any<std::string>({"bash", "timeout", "python3.11"}),
                          {"child"}));
    if (dice.one_in(4)) builder.unseen_below(dice.any<Pid>({100, 120, 150}));
    for (const ProcessFacts& process : Facts(builder.facts()).candidates) {
        if (dice.one_in(8))
            builder[process.row.pid].row.ppid = dice.any<Pid>({100, kLauncher, 140, 160, 300, 310});
    }
}

bool is_note_of_others(const policy::Evidence& piece) {
    return piece.code == "host.leaked" || piece.code == "stdin.held_by_leaked";
}

Judgement without_notes_of_others(Judgement judgement) {
    std::erase_if(judgement.evidence, is_note_of_others);
    return judgement;
}

// It is left with its host, and never ended.
bool is_left_with_host(const Judgement& judgement) {
    return judgement.verdict == Verdict::held && judgement.action == policy::Action::report &&
           std::ranges::find(judgement.evidence, "host.leaked", &policy::Evidence::code) !=
               judgement.evidence.end();
}

}  // namespace

TEST_CASE("Whatever is leaked or ended was suspected before it was judged", "[property]") {
    Dice dice(7);
    const policy::Rules rules = eager_rules();
    const long machines = number_of_machines();
    long leaked = 0;
    for (long machine = 0; machine < machines; ++machine) {
        FactsBuilder builder = roll(dice);
        roll_below(dice, builder);
        const Settings settings = roll_settings(dice);
        const auto members = policy::find_members(builder.facts(), rules);
        const auto found = policy::find_suspects(members, builder.machine(), settings);
        for (const Judgement& one :
             policy::judge(builder.facts(), rules, settings, builder.facts().keepalives)) {
            if (is_left_with_host(one)) continue;
            const Pid pid = one.identity.pid;
            const bool suspected = found.hostless.contains(pid) || found.hosted.contains(pid);
            const bool hostless = one.verdict == Verdict::orphan || one.verdict == Verdict::held;
            INFO("machine " << machine << ", pid " << pid << ", " << to_string(one.verdict));
            if (policy::is_leak(one.verdict)) REQUIRE(suspected);
            if (hostless) REQUIRE(found.hostless.contains(pid));
            if (one.action == policy::Action::reap) REQUIRE(found.to_end.contains(pid));
            leaked += policy::is_leak(one.verdict) ? 1 : 0;
        }
    }
    CHECK(leaked > machines / 4);
}

TEST_CASE("What is ended on a Mac has lost the process that started it", "[property]") {
    Dice dice(8);
    const policy::Rules rules = eager_rules();
    const long machines = number_of_machines();
    long ended = 0;
    for (long machine = 0; machine < machines; ++machine) {
        const FactsBuilder builder = roll_mac(dice);
        const Facts& facts = builder.facts();
        for (const Judgement& one :
             policy::judge(facts, rules, roll_settings(dice), builder.facts().keepalives)) {
            if (one.action != policy::Action::reap) continue;
            const ProcessFacts& process = process_of(facts, one.identity.pid);
            INFO("machine " << machine << ", pid " << one.identity.pid << ", "
                            << to_string(one.verdict));
            REQUIRE(process.identity.exec_version);
            REQUIRE(process.identity.pidfs_inode);
            const bool hosted =
                one.verdict == Verdict::abandoned || one.verdict == Verdict::duplicate;
            if (!hosted) REQUIRE(has_lost_starter(facts, process));
            ended += hosted ? 0 : 1;
        }
    }
    CHECK(ended > machines / 8);
}

TEST_CASE("One process alone is judged as it is among all", "[property]") {
    Dice dice(6);
    const policy::Rules rules = eager_rules();
    policy::MatchMemory memory(rules);  // of other machines, where pids are others
    const long machines = number_of_machines() / 4;
    long ended = 0;
    for (long machine = 0; machine < machines; ++machine) {
        FactsBuilder builder = roll(dice);
        roll_below(dice, builder);
        const scanner::Record& facts = builder.facts();
        const Settings settings = roll_settings(dice);
        const auto all = policy::judge(facts, rules, settings, facts.keepalives);
        for (const Judgement& among_all : all) {
            const auto alone = policy::judge_one(among_all.identity.pid, facts, memory, settings,
                                                 facts.keepalives);
            ended += among_all.action == policy::Action::reap ? 1 : 0;
            if (is_left_with_host(among_all)) continue;
            if (alone == without_notes_of_others(among_all)) continue;
            INFO("machine " << machine << ", pid " << among_all.identity.pid);
            REQUIRE(alone == without_notes_of_others(among_all));
        }
        CHECK(all.size() <= facts.candidates.size());
        REQUIRE_FALSE(policy::judge_one(kGonePid, facts, memory, settings, {}));
    }
    CHECK(ended > machines / 4);
}

// A million machines in five parts, for as many processors.
TEST_CASE("no plan of any machine ends what it must not, part 1", "[property]") {
    check_machines(20261118);
}

TEST_CASE("no plan of any machine ends what it must not, part 2", "[property]") {
    check_machines(2);
}

TEST_CASE("no plan of any machine ends what it must not, part 3", "[property]") {
    check_machines(3);
}

TEST_CASE("no plan of any machine ends what it must not, part 4", "[property]") {
    check_machines(4);
}

TEST_CASE("no plan of any machine ends what it must not, part 5", "[property]") {
    check_machines(5);
}

}  // namespace reaper::test
