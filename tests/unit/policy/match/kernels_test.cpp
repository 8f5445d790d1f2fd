// Session kernels, cron workers, compute hosts, meet bots, proxies and language servers of Hermes:
// the command lines that they have, those that only look alike, and what their records say.
#include "policy/match/match.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/policy/verdict/judged.hpp"

namespace reaper::test {

namespace {

using policy::Action;
using policy::Judgement;
using policy::Verdict;
using scanner::Access;
using scanner::Claim;
using scanner::ClaimKind;
using scanner::Pid;
using Words = std::vector<std::string>;
using Variables = std::map<std::string, std::string>;

constexpr Pid kPid = 100;
constexpr Pid kOwner = 60;
constexpr const char* kPython = "/usr/bin/python3.14";
constexpr const char* kNode = "/usr/bin/node";
constexpr const char* kProxy = "/srv/h/bin/iron-proxy";
const std::string kRunner = "/srv/h/cache/scratch/hermes_kernel_a1b2/hermes_kernel_runner.py";
const Words kKernel = {"python3", kRunner};
const Words kCron = {"python3",   "-m",         "cron.scheduler", "--external-worker-file",
                     "/x/e.json", "--ack-file", "/x/e.ready"};
const Words kMeet = {"python3", "-m", "plugins.google_meet.meet_bot"};
const Words kConfig = {kProxy, "-config", "/srv/h/proxy/proxy.yaml"};
const Variables kMarks = {{"HERMES_KERNEL_SPILL_DIR", "/srv/h/cache/scratch/hermes_kernel_a1b2"},
                          {"HERMES_IRON_PROXY_NONCE", "5f"},
                          {"HERMES_HOME", "/srv/h"}};

std::string matched(const Words& argv, const char* exe = kPython, const Variables& marks = kMarks) {
    const auto match =
        policy::match(all_rules(), row(kPid, 1, exe, argv), policy::Environment::of(marks));
    return match ? match->rule->name + "/" + match->role.name : "";
}

// What a child of Hermes is started by, since 0.21.
Words bootstrapped(const std::string& module, const Words& words) {
    Words argv = {"python3", "-I", "-c",
                  "import os, sys, runpy; sys.path.insert(0, '/opt/h'); import hermes_bootstrap; "
                  "runpy.run_module('" +
                      module + "', run_name='__main__', alter_sys=True)"};
    argv.insert(argv.end(), words.begin(), words.end());
    return argv;
}

FactsBuilder orphan(const Words& argv, const char* exe = kPython, Variables variables = kMarks) {
    FactsBuilder builder;
    builder.orphan(row(kPid, 1, exe, argv));
    variables.emplace("HOME", "/home/u");
    builder[kPid].environment = policy::Environment::of(std::move(variables));
    return builder;
}

FactsBuilder detached(const Words& argv, const char* exe = kPython) {
    FactsBuilder builder = orphan(argv, exe);
    builder[kPid].standard_input = builder[kPid].standard_output = null_end();
    return builder;
}

std::string said(const FactsBuilder& builder, const policy::Settings& settings = {}) {
    const Judgement one = judged(builder, kPid, settings);
    return std::string(to_string(one.verdict)) + " " + std::string(to_string(one.action));
}

std::string home_of(const Words& argv, const Variables& variables, const char* exe = kPython) {
    return judged(orphan(argv, exe, variables), kPid).home;
}

Claim record(ClaimKind kind, Pid pid = kPid) {
    return claim_of(kind, "/srv/h", pid);
}

FactsBuilder with(FactsBuilder builder, const Claim& claim) {
    return builder.claim(claim);
}

}  // namespace

TEST_CASE("new programs of Hermes, each beside what looks like it") {
    const std::string file = "--external-worker-file";
    const std::vector<std::pair<Words, const char*>> lines = {
        {kKernel, "kernel/kernel"},
        {{"python3", "/var/folders/T/hermes_kernel_x/hermes_kernel_runner.py"}, "kernel/kernel"},
        {{"python3", "/tmp/hermes_kernel_runner.py"}, ""},
        {{"python3", "/tmp/my_kernel_x/hermes_kernel_runner.py"}, ""},
        {{"python3", "/tmp/hermes_kernel_x/hermes_tools.py"}, ""},
        {{"python3", "train.py", kRunner}, ""},
        {{"python3", "-c", "import time; time.sleep(9)", kRunner}, ""},
        {{"python3", "-m", "pytest", kRunner}, ""},
        {kCron, "cron_worker/worker"},
        {bootstrapped("cron.scheduler", {file, "/x/e.json", "--ack-file", "/x/e.ready"}),
         "cron_worker/worker"},
        {{"python3", "-c",
          "from pathlib import Path; from pm.environments import activate_dependencies; "
          "activate_dependencies(Path('/opt/h')); import runpy; "
          "runpy.run_module('cron.scheduler', run_name='__main__')",
          file, "/x/e.json", "--ack-file", "/x/e.ready"},
         "cron_worker/worker"},
        {{"python3", "-m", "cron.scheduler"}, ""},
        {bootstrapped("cron.scheduler", {}), ""},
        {{"python3", "-m", "cron.jobs", file, "/x/e.json"}, ""},
        {{"python3", "-c", "import runpy; runpy.run_module('cron.scheduler')", file, "/x"}, ""},
        {kMeet, "meet_bot/bot"},
        {bootstrapped("plugins.google_meet.meet_bot", {}), "meet_bot/bot"},
        {{"python3", "-m", "plugins.google_meet.meet_speaker_driver"}, ""},
        {{"python3", "-c", "import plugins.google_meet.meet_bot"}, ""},
        {{"python3", "-m", "tui_gateway.compute_host"}, "compute_host/worker"},
        {bootstrapped("tui_gateway.compute_host", {}), "compute_host/worker"},
        {{"python3", "-m", "tui_gateway.compute_hosts"}, ""},
        {{"python3", "/opt/h/tools/mcp_death_supervisor.py", "--parent-pgid", "7"}, "mcp/guard"},
        {bootstrapped("tools.mcp_death_supervisor", {"--parent-pgid", "7"}), "mcp/guard"},
        {bootstrapped("tools.mcp_death_supervisor", {}), ""},
    };
    for (const auto& [argv, expected] : lines) {
        INFO(argv.back() << " " << argv[argv.size() > 2 ? 2 : 1]);
        CHECK(matched(argv) == expected);
    }
    CHECK(matched({"vim", kRunner}, "/usr/bin/vim").empty());
    CHECK(matched({"sh", "-c", "exec python3 " + kRunner}, "/bin/dash").empty());
}

TEST_CASE("a proxy and language servers are told by what Hermes put around them") {
    CHECK(matched(kConfig, kProxy) == "iron_proxy/daemon");
    CHECK(matched(kConfig, kProxy, {}).empty());  // one of the user's own
    CHECK(matched({kProxy, "-version"}, kProxy).empty());
    CHECK(matched({"tail", "-f", "/srv/h/proxy/iron-proxy.log"}, "/usr/bin/tail").empty());
    const Words pyright = {"node", "/srv/h/lsp/bin/pyright-langserver", "--stdio"};
    CHECK(matched(pyright, kNode) == "lsp_server/server");
    CHECK(matched(pyright, kNode, {}) == "language_server/server");  // of any other host
    CHECK(matched({"node", "/srv/h/lsp/node_modules/typescript/lib/tsserver.js"}, kNode) ==
          "lsp_server/server");
    CHECK(matched({"node", "/usr/bin/pyright-langserver", "--stdio"}, kNode) ==
          "language_server/server");
    CHECK(matched({"/srv/h/lsp/bin/gopls"}, "/srv/h/lsp/bin/gopls") == "lsp_server/server");
    CHECK(matched({"gopls"}, "/home/u/go/bin/gopls").empty());
}

TEST_CASE("a kernel is leaked when its host is gone and both ends are dead, and no sooner") {
    const FactsBuilder leaked = orphan(kKernel);
    CHECK(said(leaked) == "orphan reap");
    CHECK(judged(leaked, kPid).grace == std::chrono::seconds(3));
    FactsBuilder builder = leaked;
    builder[kPid].standard_input = live_end();
    CHECK(said(builder) == "held report");
    CHECK(said(detached(kKernel)) == "unknown report");
    builder = leaked;
    builder[kPid].row.ppid = kHost;
    CHECK(said(builder) == "abandoned report");
    builder[kPid].standard_input = builder[kPid].standard_output = live_end();
    CHECK(said(builder) == "attached keep");
    builder = leaked;
    set_start(builder[kPid], kNow - 1000);
    CHECK(said(builder) == "young keep");
}

TEST_CASE("a kernel of another user is foreign, that of a broker is no member") {
    FactsBuilder builder = orphan(kKernel);
    set_uid(builder[kPid], kUser + 1);
    policy::Settings settings;
    settings.uids = {kUser};
    CHECK(said(builder, settings) == "foreign keep");
    CHECK(matched(kKernel, kPython, {{"HERMES_KERNEL_INLINE_SPILL", "1"}}).empty());
}

TEST_CASE("the home is read off a path below it") {
    const Variables kernel = {{"HERMES_KERNEL_SPILL_DIR", "/x"}};
    const auto with = [&](const std::string& name, const std::string& value) {
        Variables all = kernel;
        all[name] = value;
        return home_of(kKernel, all);
    };
    CHECK(home_of(kKernel, kernel) == kHermesHome);
    CHECK(with("TMPDIR", "/srv/h/cache/scratch") == "/srv/h");
    CHECK(with("TMPDIR", "/srv/h/cache/scratch/") == "/srv/h");
    CHECK(with("TMPDIR", "/srv/h/cache/scratch/x/cache/scratch/y") == "/srv/h/cache/scratch/x");
    for (const char* other : {"/srv/h/cache/scratchy", "/tmp", "", "/cache/scratch"})
        CHECK(with("TMPDIR", other) == kHermesHome);
    CHECK(with("HERMES_HOME", "/opt/data") == "/opt/data");
    const Variables nonce = {{"HERMES_IRON_PROXY_NONCE", "5f"}};
    CHECK(home_of(kConfig, nonce, kProxy) == "/srv/h");
    CHECK(home_of({kProxy, "-config=/srv/h/proxy/proxy.yaml"}, nonce, kProxy) == "/srv/h");
    CHECK(home_of({kProxy, "-config", "/etc/p.yaml"}, nonce, kProxy) == kHermesHome);
    Words cron = kCron;
    cron[4] = "/srv/h/profiles/w/cron/external-workers/e.json";
    CHECK(home_of(cron, {{"HERMES_HOME", "/srv/h"}}) == "/srv/h/profiles/w");
    CHECK(home_of(kCron, {{"HERMES_HOME", "/srv/h"}}) == "/srv/h");
}

TEST_CASE("a cron worker is never ended, whoever adopted it and whatever is dead") {
    policy::Rules rules = all_rules();
    for (policy::FamilyRule& rule : rules.families) {
        for (auto& [verdict, action] : rule.actions) action = Action::reap;
    }
    auto settings = also({Verdict::abandoned, Verdict::duplicate, Verdict::held});
    settings.reap_inside_services = true;
    for (FactsBuilder builder : {orphan(kCron), detached(kCron)}) {
        CHECK(said(builder) == "supervised keep");
        builder[kPid].unit = scanner::Reading<scanner::ServiceUnit>::of(
            {"hermes-worker-cron-a-exec-b.scope", true, std::nullopt, true});
        CHECK(judged_by(rules, builder, kPid, settings).action == Action::keep);
        CHECK(has_code(judged_by(rules, builder, kPid, settings), "veto.never"));
    }
    // What it starts has a live host.
    FactsBuilder builder = orphan(kKernel);
    builder.relative(row(kOwner, 1, kPython, kCron));
    builder[kPid].row.ppid = kOwner;
    builder[kPid].standard_input = builder[kPid].standard_output = live_end();
    CHECK(said(builder) == "attached keep");
}

TEST_CASE("a bot or proxy is kept by its record, and else only reported") {
    const std::pair<FactsBuilder, ClaimKind> cases[] = {
        {detached(kMeet), ClaimKind::meet_bot_record},
        {detached(kConfig, kProxy), ClaimKind::proxy_pid}};
    for (const auto& [builder, kind] : cases) {
        const auto said_with = [&builder = builder](const Claim& claim) {
            return said(with(builder, claim));
        };
        CHECK(said(builder) == "unknown report");
        CHECK(said_with(record(kind)) == "designated keep");
        CHECK(said_with(record(kind, kGonePid)) == "unknown report");
        Claim claim = record(kind);
        claim.start_ticks = 7;
        CHECK(said_with(claim) == "unknown report");
        claim = record(kind);
        claim.owner = kUser + 1;
        CHECK(said_with(claim) == "unknown report");
        claim = record(kind);
        claim.access = Access::malformed;
        CHECK(has_code(judged(with(builder, claim), kPid), "veto.unreadable.claim"));
    }
    FactsBuilder proxy = detached(kConfig, kProxy);
    listen_on(proxy[kPid], 8888);
    CHECK(said(proxy) == "unknown report");
    CHECK(said(proxy.claim(record(ClaimKind::proxy_pid))) == "designated keep");
}

TEST_CASE("such a record says nothing of other families, whatever it says or hides") {
    for (const ClaimKind kind :
         {ClaimKind::meet_bot_record, ClaimKind::proxy_pid, ClaimKind::compute_host_registry}) {
        Claim claim = record(kind);
        claim.spawner = kHost;
        claim.spawner_row =
            scanner::Reading<scanner::ProcessRow>::of(row(kHost, 1, kPython, {"hermes"}));
        CHECK(said(orphan(kKernel).claim(claim)) == "orphan reap");
        for (const Access access : {Access::malformed, Access::denied}) {
            claim.access = access;
            CHECK(said(orphan(kKernel).claim(claim)) == "orphan reap");
        }
    }
}

TEST_CASE("the registry of a compute host tells whose it is") {
    FactsBuilder builder = detached({"python3", "-m", "tui_gateway.compute_host"});
    Claim claim = record(ClaimKind::compute_host_registry);
    CHECK(said(with(builder, claim)) == "unknown report");  // it names no owner
    claim.spawner = kOwner;
    claim.spawner_row.access = Access::gone;
    CHECK(said(with(builder, claim)) == "orphan report");
    CHECK(has_code(judged(with(builder, claim), kPid), "owner.dead"));
    claim.start_ticks = 7;  // it is about an earlier process
    CHECK(said(with(builder, claim)) == "unknown report");
    claim.start_ticks = builder[kPid].row.start_ticks;
    scanner::ProcessRow owner = row(kOwner, 1, kPython, {"hermes", "dashboard"});
    owner.start_ticks = 500;
    claim.spawner_row = scanner::Reading<scanner::ProcessRow>::of(owner);
    claim.spawner_start_ticks = 500;
    CHECK(said(with(builder, claim)) == "attached keep");
    claim.spawner_start_ticks = 501;  // its pid was handed out again
    CHECK(said(with(builder, claim)) == "orphan report");
    claim.access = Access::malformed;
    CHECK(has_code(judged(with(builder, claim), kPid), "veto.unreadable.claim"));
}

}  // namespace reaper::test
