#include "tests/unit/agent/report/sample_report.hpp"

#include <utility>

#include "agent/report/diagnosis.hpp"
#include "agent/report/hosts.hpp"

namespace reaper::agent::test {

namespace {

using policy::Action;
using policy::Verdict;
using policy::Weight;
using scanner::Access;

constexpr std::uint64_t kNow = 100'000'000;
constexpr std::uint64_t kAge = 4'231;
const std::string kHome = "/home/u/.hermes/memos-plugin";

scanner::Machine machine() {
    scanner::Machine machine;
    machine.name = "box";
    machine.os = "linux";
    machine.kernel = "6.18.0";
    machine.boot_id = "b0071d00-0000-4000-8000-000000000000";
    machine.pid_namespace = 4026531836;
    machine.uid = 1000;
    machine.now_ticks = kNow;
    machine.now_epoch = 1769860800;
    return machine;
}

Report concluded(Report report) {
    conclude(report);
    return report;
}

std::string every_byte() {
    std::string bytes;
    for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
    return bytes;
}

}  // namespace

ReportedProcess process(scanner::Pid pid, Verdict verdict, Action action) {
    ReportedProcess made;
    scanner::ProcessFacts& facts = made.facts;
    facts.row.pid = pid;
    facts.row.ppid = 1;
    facts.row.uid = 1000;
    facts.row.state = 'S';
    facts.row.comm = "node";
    facts.row.start_ticks = kNow - kAge * 100;
    facts.row.exe = scanner::Reading<std::string>::of("/usr/bin/node");
    facts.row.command_line = scanner::Reading<scanner::CommandLine>::of(
        {{"/usr/bin/node", kHome + "/dist/bridge.cjs", "--agent=hermes", "--no-viewer"}, false});
    facts.identity = {machine().boot_id, machine().pid_namespace, pid, facts.row.start_ticks,
                      7000U + static_cast<unsigned>(pid)};
    facts.user = "u";
    facts.rss_bytes = 95420416;
    facts.standard_input = scanner::Reading<scanner::StdioEnd>::of(
        {scanner::EndKind::pipe, scanner::PeerState::dead, 4711, {}});
    facts.cwd = scanner::Reading<std::string>::failed(Access::denied);
    policy::Judgement& judgement = made.judgement;
    judgement.identity = facts.identity;
    judgement.family = "bridge";
    judgement.role = "headless";
    judgement.home = kHome;
    judgement.verdict = verdict;
    judgement.action = action;
    judgement.grace = std::chrono::seconds(30);
    judgement.grace_cap = std::chrono::minutes(10);
    return made;
}

ReportedProcess orphan(scanner::Pid pid) {
    ReportedProcess made = process(pid, Verdict::orphan, Action::reap);
    made.judgement.evidence = {
        {"parent.adopter", Weight::for_kill, "parent is init (pid 1)"},
        {"stdin.dead", Weight::for_kill, "nothing can write to its stdin any more"},
        {"listens.nothing", Weight::note, "listens on no port"}};
    return made;
}

ReportedProcess daemon(scanner::Pid pid) {
    ReportedProcess made = process(pid, Verdict::designated, Action::keep);
    made.judgement.role = "daemon";
    made.judgement.evidence = {{"parent.adopter", Weight::for_kill, "parent is init (pid 1)"},
                               {"veto.listens", Weight::veto, "listens on 127.0.0.1 port 18800"}};
    return made;
}

ReportedProcess with(ReportedProcess made, OutcomeResult result) {
    Outcome outcome;
    outcome.pid = made.facts.row.pid;
    outcome.result = result;
    outcome.took = std::chrono::milliseconds(41);
    const bool killed = result == OutcomeResult::ended_on_kill || result == OutcomeResult::survived;
    if (killed || result == OutcomeResult::ended_on_term)
        outcome.signals = {Signal::terminate, Signal::resume};
    if (killed) outcome.signals.push_back(Signal::kill);
    if (result == OutcomeResult::ended_on_term) outcome.wait_status = 15;
    made.outcome = outcome;
    return made;
}

Report report_of(std::string command, std::vector<ReportedProcess> processes) {
    Report report;
    report.version = "0.1.0";
    report.command = std::move(command);
    report.machine = machine();
    report.started_epoch = 1769860800;
    report.elapsed_ms = 12.25;
    report.uids = {1000};
    report.families = {"bridge", "slash_worker"};
    report.count.seen = 312;
    report.processes = std::move(processes);
    return report;
}

Report nothing_leaked() {
    return concluded(report_of("report", {daemon(4000)}));
}

Report two_leaked() {
    Report report = report_of("report", {daemon(4000), orphan(4711), orphan(4712)});
    scanner::Claim claim;
    claim.access = Access::ok;
    claim.pid = 4000;
    ReportedFile& file = report.files.emplace_back();
    file.file.path = kHome + "/daemon/bridge.pid";
    file.file.home = kHome;
    file.file.claims = {claim};
    file.judgement.state = policy::FileState::live;
    file.judgement.reason = "pid 4000 is a bridge that is alive";
    file.judgement.evidence = {{"pid.lives", Weight::veto, file.judgement.reason}};
    return concluded(std::move(report));
}

Report dry_run() {
    Report report =
        report_of("sweep", {daemon(4000), with(orphan(4711), OutcomeResult::would_reap)});
    report.dry_run = true;
    report.scope_words = "--home '/home/u/.hermes/memos-plugin'";
    return concluded(std::move(report));
}

Report swept() {
    return concluded(
        report_of("sweep", {daemon(4000), with(orphan(4711), OutcomeResult::ended_on_term),
                            with(orphan(4712), OutcomeResult::ended_on_kill)}));
}

Report swept_partly() {
    Report report = report_of("sweep", {with(orphan(4711), OutcomeResult::ended_on_term),
                                        with(orphan(4712), OutcomeResult::survived)});
    ReportedProcess duplicate = process(4800, Verdict::duplicate, Action::report);
    duplicate.judgement.evidence = {{"duplicate.older", Weight::for_kill,
                                     "pid 4801 serves the same host and home, and is newer"}};
    report.processes.push_back(duplicate);
    return concluded(std::move(report));
}

Report incomplete() {
    ReportedProcess unreadable = process(5000, Verdict::unknown, Action::keep);
    unreadable.judgement.evidence = {{"veto.unreadable.standard_input", Weight::veto,
                                      "its stdin could not be looked at: permission denied"}};
    Report report = report_of("report", {unreadable});
    report.count.denied = 3;
    report.remarks = {"3 processes could not be read; run it as root to see them"};
    return concluded(std::move(report));
}

Report refused() {
    Report report = report_of("sweep", {with(orphan(4711), OutcomeResult::refused),
                                        with(orphan(4712), OutcomeResult::refused)});
    report.max_kills = 1;
    report.remarks = {
        "2 processes would have to end, more than --max-kills 1 allows; nothing was signalled"};
    return concluded(std::move(report));
}

Report hundred_leaked() {
    std::vector<ReportedProcess> processes;
    for (scanner::Pid pid = 1001; pid <= 1100; ++pid) processes.push_back(orphan(pid));
    return concluded(report_of("report", std::move(processes)));
}

Report sick_machine() {
    std::vector<ReportedProcess> processes = {daemon(4000), orphan(4711), orphan(4712)};
    for (const scanner::Pid pid : {4720, 4721, 4722}) {
        processes.push_back(process(pid, Verdict::attached, Action::keep));
        processes.back().judgement.host = pid == 4722 ? 90 : 80;
        processes.back().facts.swap_bytes = 100 << 20;
        processes.back().judgement.evidence = {
            {"host.lives", Weight::against, "its host, pid 80, is alive"}};
    }
    processes[4].judgement.family = "slash_worker";
    processes[4].judgement.role = "worker";
    scanner::Facts facts;
    facts.relatives.push_back(processes[0].facts.row);
    facts.relatives.back().pid = 80;
    facts.relatives.back().comm = "hermes";
    facts.relatives.back().command_line.value.argv = {"/usr/bin/hermes", "serve", "--token=secret"};
    Report report = report_of("report", std::move(processes));
    report.hosts = tally_hosts(report, facts);
    report.diagnosis = scanner::Diagnosis{{"tail", scanner::ChildSignal{}, 3, true},
                                          {85, 100, "/sys/fs/cgroup/user.slice"},
                                          {800, 1000, "pid 80"},
                                          1000};
    report.remarks = diagnosis_remarks(*report.diagnosis);
    return concluded(std::move(report));
}

Report hostile() {
    const std::string bytes = every_byte();
    ReportedProcess made = orphan(666);
    made.facts.row.comm = bytes;
    made.facts.row.exe.value = bytes;
    made.facts.row.command_line.value.argv = {bytes, bytes, "--home=" + bytes, "--" + bytes};
    made.facts.user = bytes;
    made.facts.script = scanner::Reading<std::string>::of(bytes);
    made.facts.environment =
        scanner::Reading<std::map<std::string, std::string>>::of({{bytes, bytes}});
    made.judgement.home = bytes;
    made.judgement.family = bytes;
    made.judgement.role = bytes;
    made.judgement.evidence.push_back({bytes, Weight::for_kill, bytes});
    made.outcome = Outcome{};
    made.outcome->detail = bytes;
    Report report = report_of("report", {made, made});
    report.processes[1].judgement.action = Action::keep;
    report.machine.name = bytes;
    report.homes = {bytes};
    report.families = {bytes};
    report.scope_words = bytes;
    report.remarks = {bytes};
    ReportedFile& file = report.files.emplace_back();
    file.file.found = true;
    file.file.path = file.file.home = file.file.text = bytes;
    file.file.claims.emplace_back().named =
        scanner::Reading<scanner::ProcessRow>::of(made.facts.row);
    file.judgement.reason = bytes;
    file.judgement.evidence = {{bytes, Weight::note, bytes}};
    file.removal = Removal{RemovalResult::failed, bytes};
    HostTally& host = report.hosts.emplace_back();
    host.pid = 80;
    host.comm = bytes;
    host.argv = {bytes, bytes};
    host.families = {{bytes, 2}};
    report.diagnosis = scanner::Diagnosis{
        {bytes, scanner::ChildSignal{}, 1, false}, {9, 9, bytes}, {9, 9, bytes}, 1000};
    for (std::string& remark : diagnosis_remarks(*report.diagnosis))
        report.remarks.push_back(std::move(remark));
    return concluded(std::move(report));
}

std::vector<Sample> all_samples() {
    return {{"nothing_leaked", nothing_leaked()},
            {"two_leaked", two_leaked()},
            {"dry_run", dry_run()},
            {"swept", swept()},
            {"swept_partly", swept_partly()},
            {"incomplete", incomplete()},
            {"refused", refused()},
            {"hundred_leaked", hundred_leaked()},
            {"sick_machine", sick_machine()}};
}

}  // namespace reaper::agent::test
