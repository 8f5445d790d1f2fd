#include "tests/support/facts_builder.hpp"

#include <algorithm>
#include <stdexcept>

namespace reaper::test {

namespace {

using scanner::Claim;
using scanner::ClaimKind;
using scanner::EndKind;
using scanner::PeerState;
using scanner::Pid;
using scanner::ProcessFacts;
using scanner::ProcessRow;
using scanner::Reading;
using scanner::StdioEnd;

constexpr std::uint64_t kNamespace = 4'026'531'836;
const std::string kBootId = "b0071d00-0000-4000-8000-000000000000";

Reading<StdioEnd> end_of(EndKind kind, PeerState peer) {
    return Reading<StdioEnd>::of({kind, peer, 77, {}});
}

std::vector<std::string> bridge_argv(const std::string& role) {
    std::vector<std::string> argv = {"/usr/bin/node", kHome + "/dist/bridge.mjs", "--agent=hermes"};
    if (!role.empty()) argv.push_back(role);
    return argv;
}

Pid pid_of(const ProcessRow& row) {
    return row.pid;
}

Pid pid_of(const ProcessFacts& process) {
    return process.row.pid;
}

template <class Process>
void insert_by_pid(std::vector<Process>& all, Process made) {
    const auto at =
        std::lower_bound(all.begin(), all.end(), pid_of(made),
                         [](const Process& other, Pid pid) { return pid_of(other) < pid; });
    all.insert(at, std::move(made));
}

}  // namespace

Reading<StdioEnd> dead_end() {
    return end_of(EndKind::pipe, PeerState::dead);
}

Reading<StdioEnd> live_end() {
    return end_of(EndKind::pipe, PeerState::alive);
}

Reading<StdioEnd> null_end() {
    return end_of(EndKind::null_device, PeerState::unknown);
}

ProcessRow row(Pid pid, Pid ppid, const std::string& exe, std::vector<std::string> argv) {
    ProcessRow row;
    row.pid = pid;
    row.ppid = ppid;
    row.pgrp = 40;
    row.session = 40;
    row.state = 'S';
    row.start_ticks = kNow - kHour;
    row.uid = kUser;
    row.comm = exe.substr(exe.rfind('/') + 1);
    row.exe = Reading<std::string>::of(exe);
    row.command_line = Reading<scanner::CommandLine>::of({std::move(argv), false});
    row.cgroup = Reading<std::string>::of("/user.slice/user-1000.slice/session-3.scope");
    return row;
}

FactsBuilder::FactsBuilder() {
    facts_.machine = {"box",     "linux", "6.18.0", kBootId, kNamespace, 4000,  kUser,
                      {3999, 1}, true,    100,      kNow,    kNowEpoch,  false, true};
    ProcessRow init = row(1, 0, "/usr/lib/systemd/systemd", {"/sbin/init"});
    init.uid = 0;
    init.session = 1;
    init.start_ticks = 1;
    ProcessRow host = row(kHost, 1, "/usr/bin/python3.11",
                          {"python3", "-m", "hermes_cli.main", "gateway", "run"});
    host.start_ticks = kNow - 3 * kHour;
    relative(std::move(init)).relative(std::move(host));
}

ProcessFacts& FactsBuilder::add(ProcessRow made) {
    ProcessFacts process;
    process.identity = {kBootId, kNamespace, made.pid, made.start_ticks,
                        7000U + static_cast<unsigned>(made.pid)};
    process.uids = Reading<scanner::Uids>::of({kUser, kUser, kUser, kUser});
    process.namespace_pids = Reading<std::vector<Pid>>::of({made.pid});
    process.same_pid_namespace = Reading<bool>::of(true);
    process.same_root = Reading<bool>::of(true);
    process.same_home = Reading<bool>::of(true);
    process.hidden_records = Reading<std::vector<std::string>>::of({});
    process.tracer = Reading<Pid>::of(0);
    process.cwd = Reading<std::string>::of(kHome);
    process.environment = Reading<std::map<std::string, std::string>>::of(
        {{"HOME", "/home/u"}, {"HERMES_HOME", kHermesHome}, {"MEMOS_HOME", kHome}});
    process.script = Reading<std::string>::of(kHome + "/dist/bridge.mjs");
    process.package = Reading<std::string>::of("@memtensor/memos-local-plugin");
    process.standard_input = dead_end();
    process.standard_output = dead_end();
    process.listeners = Reading<std::vector<scanner::Listener>>::of({});
    process.unit = Reading<scanner::ServiceUnit>::of({"session-3.scope", false, {}, true});
    process.held_locks = Reading<std::vector<std::string>>::of({});
    process.row = std::move(made);
    auto& all = facts_.candidates;
    const auto at =
        std::lower_bound(all.begin(), all.end(), process.row.pid,
                         [](const ProcessFacts& other, Pid pid) { return other.row.pid < pid; });
    return *all.insert(at, std::move(process));
}

FactsBuilder& FactsBuilder::orphan(ProcessRow made) {
    add(std::move(made));
    return *this;
}

FactsBuilder& FactsBuilder::orphan_bridge(Pid pid) {
    add(row(pid, 1, "/usr/bin/node", bridge_argv("--no-viewer")));
    return *this;
}

FactsBuilder& FactsBuilder::orphan_worker(Pid pid, Pid recorded) {
    add(row(pid, 1, "/usr/bin/python3.11",
            {"python3", "-m", "tui_gateway.slash_worker", "--session-key", "20260520_173732_6d914e",
             "--parent-pid", std::to_string(recorded)}));
    (*this)[pid].script = Reading<std::string>::failed(scanner::Access::not_read);
    return *this;
}

FactsBuilder& FactsBuilder::orphan_pair(Pid launcher, Pid bridge) {
    add(row(launcher, 1, "/usr/bin/node",
            {"node", kHome + "/node_modules/tsx/dist/cli.mjs", kHome + "/bridge.cts",
             "--agent=hermes", "--no-viewer"}));
    add(row(bridge, launcher, "/usr/bin/node",
            {"/usr/bin/node", "--require", kHome + "/node_modules/tsx/dist/preflight.cjs",
             "--import", "file://" + kHome + "/node_modules/tsx/dist/loader.mjs",
             kHome + "/bridge.cts", "--agent=hermes", "--no-viewer"}));
    return *this;
}

FactsBuilder& FactsBuilder::attached_bridge(Pid pid, Pid host) {
    orphan_bridge(pid);
    ProcessFacts& bridge = (*this)[pid];
    bridge.row.ppid = host;
    bridge.standard_input = live_end();
    bridge.standard_output = live_end();
    return *this;
}

FactsBuilder& FactsBuilder::daemon(Pid pid) {
    ProcessFacts& made = add(row(pid, 1, "/usr/bin/node", bridge_argv("--daemon")));
    made.row.session = pid;
    made.standard_input = null_end();
    made.standard_output = Reading<StdioEnd>::of({EndKind::file, PeerState::unknown, 78, {}});
    return *this;
}

FactsBuilder& FactsBuilder::listening_daemon(Pid pid) {
    daemon(pid);
    listen_on((*this)[pid], 18800);
    return *this;
}

FactsBuilder& FactsBuilder::relative(ProcessRow made) {
    insert_by_pid(facts_.relatives, std::move(made));
    return *this;
}

FactsBuilder& FactsBuilder::claim(Claim claim) {
    facts_.claims.push_back(std::move(claim));
    return *this;
}

FactsBuilder& FactsBuilder::keepalive(scanner::Keepalive keepalive) {
    facts_.keepalives.push_back(std::move(keepalive));
    return *this;
}

FactsBuilder& FactsBuilder::wrapper(ProcessRow made) {
    facts_.wrappers.push_back(made.pid);
    facts_.plain_wrappers.push_back(made.pid);
    return relative(std::move(made));
}

FactsBuilder& FactsBuilder::below(ProcessRow made) {
    const Pid pid = made.pid;
    insert_by_pid(facts_.descendants, add(std::move(made)));
    std::erase_if(facts_.candidates, [pid](const ProcessFacts& one) { return one.row.pid == pid; });
    return *this;
}

FactsBuilder& FactsBuilder::unseen_below(Pid pid) {
    facts_.unseen_below.push_back(pid);
    return *this;
}

FactsBuilder& FactsBuilder::unread(Pid pid) {
    facts_.unread.push_back(pid);
    return *this;
}

FactsBuilder& FactsBuilder::unanswered(const std::string& path) {
    facts_.unanswered.push_back(path);
    return *this;
}

FactsBuilder& FactsBuilder::real_home(const std::string& named, const std::string& real) {
    facts_.real_paths[named] = real;
    return *this;
}

FactsBuilder& FactsBuilder::on_mac() {
    facts_.machine.os = "darwin";
    facts_.machine.kernel = "24.4.0";
    facts_.machine.pid_namespace = 1;
    for (ProcessRow& one : facts_.relatives) {
        one.cgroup = Reading<std::string>::failed(scanner::Access::gone);
        if (one.pid != 1) continue;
        one.exe.value = "/sbin/launchd";
        one.comm = "launchd";
        one.command_line.value.argv = {"/sbin/launchd"};
    }
    for (auto* all : {&facts_.candidates, &facts_.descendants}) {
        for (ProcessFacts& one : *all) {
            one.identity.pid_namespace = 1;
            one.identity.exec_version = 9000U + static_cast<unsigned>(one.row.pid);
            one.row.cgroup = Reading<std::string>::failed(scanner::Access::gone);
            one.unit = Reading<scanner::ServiceUnit>::failed(scanner::Access::gone);
            one.coalition = 512;
            if (one.row.ppid == 1) one.first_parent = scanner::FirstParent::dead;
        }
    }
    return *this;
}

ProcessFacts& FactsBuilder::operator[](Pid pid) {
    for (ProcessFacts& process : facts_.candidates) {
        if (process.row.pid == pid) return process;
    }
    throw std::out_of_range("no candidate with pid " + std::to_string(pid));
}

void set_start(ProcessFacts& process, std::uint64_t start_ticks) {
    process.row.start_ticks = start_ticks;
    process.identity.start_ticks = start_ticks;
}

void set_uid(ProcessFacts& process, scanner::Uid uid) {
    process.row.uid = uid;
    process.uids = Reading<scanner::Uids>::of({uid, uid, uid, uid});
}

void set_home(ProcessFacts& process, const std::string& home) {
    process.environment.value["MEMOS_HOME"] = home;
}

void add_argument(ProcessFacts& process, const std::string& argument) {
    process.row.command_line.value.argv.push_back(argument);
}

void listen_on(ProcessFacts& process, std::uint16_t port) {
    process.listeners.value.push_back({"tcp", "127.0.0.1", port});
}

Claim claim_of(ClaimKind kind, const std::string& home, Pid pid) {
    Claim claim;
    claim.kind = kind;
    claim.path = home + "/claim";
    claim.home = home;
    claim.scope = kUser;
    claim.owner = kUser;
    claim.access = scanner::Access::ok;
    claim.pid = pid;
    claim.written_epoch = kNowEpoch;
    claim.named = Reading<ProcessRow>::of(row(pid, 1, "/usr/bin/node", {"node"}));
    claim.spawner_row = Reading<ProcessRow>::failed(scanner::Access::not_read);
    return claim;
}

}  // namespace reaper::test
