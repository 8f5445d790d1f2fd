// One test for each veto. Everything but the one fact that it is about is that of an orphan, so
// that the veto alone keeps it.
#include "policy/verdict/vetoes.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/policy/verdict/judged.hpp"

namespace reaper::test {

namespace {

using reaper::policy::Action;
using reaper::policy::Judgement;
using reaper::policy::Settings;
using reaper::policy::Verdict;
using reaper::scanner::Access;
using reaper::scanner::Pid;
using reaper::scanner::ProcessFacts;

constexpr Pid kPid = 100;
constexpr Access kFailures[] = {Access::not_read, Access::denied, Access::gone, Access::malformed};

FactsBuilder orphan() {
    return FactsBuilder().orphan_bridge(kPid);
}

// This veto and no other keeps the process, and says what it is.
void check_vetoed(const FactsBuilder& builder, const std::string& code, Verdict verdict,
                  const Settings& settings = {}) {
    const Judgement judgement = judged(builder, kPid, settings);
    INFO(code);
    CHECK(vetoes_of(judgement) == std::vector<std::string>{"veto." + code});
    CHECK(judgement.verdict == verdict);
    CHECK(judgement.action != Action::reap);
    CHECK(planned(builder, settings).empty());
}

// The same with one change to a perfect orphan, which is reaped without it.
template <class Change>
void check_veto(const std::string& code, Verdict verdict, const Change& change) {
    FactsBuilder builder = orphan();
    REQUIRE(is_orphan(judged(builder, kPid)));
    change(builder[kPid]);
    check_vetoed(builder, code, verdict);
}

}  // namespace

TEST_CASE("veto: pid 1") {
    FactsBuilder builder = orphan();
    const auto call_it = [process = &builder[kPid]](Pid pid) {
        process->identity.pid = process->row.pid = pid;
    };
    call_it(1);
    const auto all =
        reaper::policy::judge(builder.facts(), reaper::policy::built_in_rules(), {}, {});
    REQUIRE(all.size() == 1);
    CHECK(has_code(all[0], "veto.system"));
    CHECK(all[0].action == Action::keep);
    call_it(0);
    CHECK(planned(builder).empty());
    call_it(-5);
    CHECK(planned(builder).empty());
    call_it(2);
    CHECK(planned(builder).size() == 1);
}

TEST_CASE("veto: a kernel thread") {
    check_veto("system", Verdict::foreign,
               [](ProcessFacts& process) { process.row.kernel_thread = true; });
}

TEST_CASE("veto: a fork that runs no program of its own") {
    check_veto("forked", Verdict::unknown,
               [](ProcessFacts& process) { process.row.forked = true; });
}

TEST_CASE("veto: this program itself") {
    FactsBuilder builder = orphan();
    REQUIRE(is_orphan(judged(builder, kPid)));
    builder.machine().self = kPid;
    check_vetoed(builder, "self", Verdict::attached);
}

TEST_CASE("veto: an ancestor of this program") {
    FactsBuilder builder = orphan();
    REQUIRE(is_orphan(judged(builder, kPid)));
    builder.machine().own_ancestors = {3999, kPid, 1};
    check_vetoed(builder, "ancestor", Verdict::attached);
}

TEST_CASE("veto: an identity that was not established") {
    check_veto("identity", Verdict::unknown,
               [](ProcessFacts& process) { process.identity.boot_id.clear(); });
    check_veto("identity", Verdict::unknown,
               [](ProcessFacts& process) { process.identity.pid_namespace = 0; });
    check_veto("identity", Verdict::unknown,
               [](ProcessFacts& process) { process.identity.start_ticks = 0; });
    check_veto("identity", Verdict::unknown,
               [](ProcessFacts& process) { ++process.identity.start_ticks; });
    check_veto("identity", Verdict::unknown,
               [](ProcessFacts& process) { process.row.start_ticks -= 5; });
    check_veto("identity", Verdict::unknown, [](ProcessFacts& process) { ++process.row.pid; });
}

TEST_CASE("veto: a kernel without process handles") {
    FactsBuilder builder = orphan();
    REQUIRE(is_orphan(judged(builder, kPid)));
    builder.machine().has_handles = false;
    check_vetoed(builder, "no_handles", Verdict::unknown);
}

TEST_CASE("veto: own ancestors that are not known") {
    FactsBuilder builder = orphan();
    REQUIRE(is_orphan(judged(builder, kPid)));
    builder.machine().knows_ancestors = false;
    check_vetoed(builder, "unreadable.ancestors", Verdict::unknown);
}

TEST_CASE("veto: several user ids, whichever differs") {
    const auto mixed = Verdict::foreign;
    check_veto("mixed_users", mixed, [](ProcessFacts& process) { process.uids.value.real = 0; });
    check_veto("mixed_users", mixed,
               [](ProcessFacts& process) { process.uids.value.effective = 0; });
    check_veto("mixed_users", mixed, [](ProcessFacts& process) { process.uids.value.saved = 0; });
    check_veto("mixed_users", mixed,
               [](ProcessFacts& process) { process.uids.value.filesystem = 0; });
}

TEST_CASE("veto: another user than the scope's") {
    Settings settings;
    settings.uids = {kUser + 1, kUser};
    REQUIRE(is_orphan(judged(orphan(), kPid, settings)));
    settings.uids = {kUser + 1, 0};
    check_vetoed(orphan(), "other_user", Verdict::foreign, settings);
}

TEST_CASE("veto: another pid namespace") {
    check_veto("pid_namespace", Verdict::foreign,
               [](ProcessFacts& process) { process.same_pid_namespace.value = false; });
}

TEST_CASE("veto: another root directory, or another folder at the path of its home") {
    check_veto("other_root", Verdict::foreign, [](ProcessFacts& process) {
        process.same_root.value = false;
        process.same_home.access = process.hidden_records.access =
            Access::not_read;  // as the scanner has it
    });
    check_veto("other_home", Verdict::foreign,
               [](ProcessFacts& process) { process.same_home.value = false; });
}

TEST_CASE("veto: records of its own in a folder that is another one here") {
    check_veto("unreadable.records", Verdict::unknown,
               [](ProcessFacts& process) { process.hidden_records.value = {"/home/u/.hermes"}; });
}

TEST_CASE("veto: a pid namespace below this one, or its init") {
    const auto foreign = Verdict::foreign;
    check_veto("nested_namespace", foreign,
               [](ProcessFacts& process) { process.namespace_pids.value = {kPid, 7}; });
    check_veto("nested_namespace", foreign,
               [](ProcessFacts& process) { process.namespace_pids.value = {1}; });
    check_veto("nested_namespace", foreign,
               [](ProcessFacts& process) { process.namespace_pids.value = {}; });
}

TEST_CASE("veto: own ancestors that are hidden, as any process may be one") {
    FactsBuilder builder = orphan();
    REQUIRE(is_orphan(judged(builder, kPid)));
    builder.machine().knows_ancestors = false;
    check_vetoed(builder, "unreadable.ancestors", Verdict::unknown);
}

TEST_CASE("veto: a family that is recognised and never ended") {
    const FactsBuilder builder = orphan();
    for (const Verdict keep_as :
         {Verdict::designated, Verdict::attached, Verdict::supervised, Verdict::foreign}) {
        const auto rules =
            with_bridge_rule([&](reaper::policy::FamilyRule& rule) { rule.keep_as = keep_as; });
        const Judgement judgement = judged_by(rules, builder, kPid, also({Verdict::orphan}));
        CHECK(vetoes_of(judgement) == std::vector<std::string>{"veto.never"});
        CHECK(judgement.verdict == keep_as);
        CHECK(judgement.action == Action::keep);
    }
    CHECK(is_orphan(judged_by(with_bridge_rule([](auto&) {}), builder, kPid)));
}

TEST_CASE(
    "veto: a socket of a family that listens by nature forbids, and says nothing of what it is") {
    const auto rules =
        with_bridge_rule([](reaper::policy::FamilyRule& rule) { rule.listens = true; });
    FactsBuilder builder = orphan();
    CHECK(is_orphan(judged_by(rules, builder, kPid)));
    listen_on(builder[kPid], 9229);
    const Judgement judgement = judged_by(rules, builder, kPid);
    CHECK(vetoes_of(judgement) == std::vector<std::string>{"veto.listens"});
    CHECK(judgement.verdict == Verdict::orphan);
    CHECK(judgement.action == Action::report);
    CHECK(judged(builder, kPid).verdict == Verdict::unknown);
}

TEST_CASE("veto: a listening socket") {
    check_veto("listens", Verdict::unknown,
               [](ProcessFacts& process) { listen_on(process, 9229); });
    check_veto("listens", Verdict::unknown, [](ProcessFacts& process) {
        process.listeners.value.push_back({"unix", "/run/user/1000/bridge.sock", 0});
    });
}

TEST_CASE("veto: the main process of a service") {
    check_veto("supervised", Verdict::supervised, [](ProcessFacts& process) {
        process.environment.value["SYSTEMD_EXEC_PID"] = std::to_string(kPid);
    });
    check_veto("supervised", Verdict::supervised,
               [](ProcessFacts& process) { process.unit.value.main_pid = kPid; });
    check_veto("supervised", Verdict::supervised,
               [](ProcessFacts& process) { process.unit.value.control_pid = kPid; });
}

TEST_CASE("veto: a main process that inherited the variable of a starter which has ended") {
    Settings settings = also({Verdict::abandoned, Verdict::duplicate, Verdict::held});
    settings.reap_inside_services = true;
    FactsBuilder builder = orphan();
    builder[kPid].environment.value["SYSTEMD_EXEC_PID"] = "50";
    builder[kPid].unit.value = {"hermes-gateway.service", true, kPid, true};
    check_vetoed(builder, "supervised", Verdict::supervised, settings);
    builder[kPid].unit.value.main_pid = 60;
    CHECK(is_orphan(judged(builder, kPid, settings)));
}

TEST_CASE("a variable or a unit that names another process vetoes nothing") {
    FactsBuilder builder = orphan();
    builder[kPid].environment.value["SYSTEMD_EXEC_PID"] = "1000";
    builder[kPid].unit.value.main_pid = 101;
    CHECK(is_orphan(judged(builder, kPid)));
}

TEST_CASE("veto: a service whose main process cannot be told") {
    Settings settings;
    settings.reap_inside_services = true;
    FactsBuilder builder = orphan();
    builder[kPid].unit.value = {"hermes-gateway.service", true, 50, true};
    REQUIRE(is_orphan(judged(builder, kPid, settings)));
    builder[kPid].unit.value.main_pid = 0;  // it has none
    CHECK(is_orphan(judged(builder, kPid, settings)));
    builder[kPid].unit.value = {"hermes-gateway.service", true, std::nullopt, true};
    check_vetoed(builder, "unreadable.main_pid", Verdict::unknown, settings);
    builder[kPid].environment.value["SYSTEMD_EXEC_PID"] = "50";
    check_vetoed(builder, "unreadable.main_pid", Verdict::unknown, settings);
}

TEST_CASE(
    "veto: a service whose manager was not asked, which is found out only for what is leaked "
    "otherwise") {
    Settings settings;
    settings.reap_inside_services = true;
    FactsBuilder builder = orphan();
    builder[kPid].environment.value["SYSTEMD_EXEC_PID"] = "50";
    builder[kPid].unit.value = {"hermes-gateway.service", true, std::nullopt, false};
    const Judgement judgement = judged(builder, kPid, settings);
    CHECK(vetoes_of(judgement) == std::vector<std::string>{"veto.unreadable.main_pid"});
    CHECK(judgement.verdict == Verdict::orphan);
    CHECK(judgement.action == Action::report);
}

TEST_CASE("veto: a unit that could not be read, being in none is an answer") {
    for (const Access why : {Access::not_read, Access::denied, Access::malformed}) {
        check_veto("unreadable.unit", Verdict::unknown,
                   [why](ProcessFacts& process) { process.unit.access = why; });
    }
    FactsBuilder builder = orphan();
    builder[kPid].unit.access = Access::gone;
    CHECK(is_orphan(judged(builder, kPid)));
}

TEST_CASE("veto: a tracer") {
    check_veto("traced", Verdict::attached,
               [](ProcessFacts& process) { process.tracer.value = 77; });
}

TEST_CASE("veto: the lock of a gateway") {
    check_veto("holds_lock", Verdict::designated, [](ProcessFacts& process) {
        process.held_locks.value = {"/x/a", "/home/u/.hermes/gateway.lock"};
    });
    check_veto("holds_lock", Verdict::designated, [](ProcessFacts& process) {
        process.held_locks.value = {"/home/u/.hermes/gateway.lock (deleted)"};
    });
    FactsBuilder builder = orphan();
    builder[kPid].held_locks.value = {"/tmp/other.lock", "/tmp/not-gateway.lock"};
    CHECK(is_orphan(judged(builder, kPid)));
}

TEST_CASE("veto: a home that could not be told") {
    check_veto("home", Verdict::unknown,
               [](ProcessFacts& process) { process.environment.value.clear(); });
    // A relative home is meant from a folder that may not be its working directory any more.
    check_veto("home", Verdict::unknown,
               [](ProcessFacts& process) { add_argument(process, "--home=data"); });
    check_veto("home", Verdict::unknown, [](ProcessFacts& process) { set_home(process, "data"); });
    check_veto("home", Verdict::unknown, [](ProcessFacts& process) {
        process.environment.value = {{"HOME", "/home/u"}, {"MEMOS_CONFIG_FILE", "config.yaml"}};
    });
}

TEST_CASE("veto: a command line that was cut off") {
    check_veto("unreadable.argv", Verdict::unknown,
               [](ProcessFacts& process) { process.row.command_line.value.truncated = true; });
}

TEST_CASE("veto: an option of the interpreter that is not known") {
    check_veto("unreadable.options", Verdict::unknown, [](ProcessFacts& process) {
        auto& argv = process.row.command_line.value.argv;
        argv.insert(argv.begin() + 1, "--unheard-of");
    });
}

TEST_CASE("veto: a script of another program") {
    FactsBuilder builder = orphan();
    builder[kPid].script.value = "/srv/app/bridge.mjs";
    REQUIRE(is_orphan(judged(builder, kPid)));  // its package.json says that it is ours
    builder[kPid].package.value = "somebody-elses";
    check_vetoed(builder, "other_program", Verdict::foreign);
    builder[kPid].package.access = Access::gone;
    check_vetoed(builder, "other_program", Verdict::foreign);
    for (const Access why : {Access::not_read, Access::denied, Access::malformed}) {
        builder[kPid].package.access = why;
        check_vetoed(builder, "unreadable.package", Verdict::unknown);
    }
    // A folder of the right name is enough, but it must be a whole folder, and above the script.
    for (const char* folder : {"/srv/memos-plugin/", "/srv/memos-local-plugin/dist/"}) {
        builder[kPid].script.value = std::string(folder) + "bridge.mjs";
        CHECK(is_orphan(judged(builder, kPid)));
    }
    builder[kPid].script.value = "/srv/not-memos-plugin/bridge.mjs";
    check_vetoed(builder, "unreadable.package", Verdict::unknown);
}

TEST_CASE("veto: a reading that a kill would rely on, whyever it failed") {
    // A worker whose recorded host is dead is an orphan whatever its stdio says, so that only the
    // veto keeps it.
    const struct {
        const char* what;
        void (*fail)(ProcessFacts& process, Access why);
    } readings[] = {
        {"uids", [](ProcessFacts& process, Access why) { process.uids.access = why; }},
        {"pid_namespace",
         [](ProcessFacts& process, Access why) { process.same_pid_namespace.access = why; }},
        {"namespace_pids",
         [](ProcessFacts& process, Access why) { process.namespace_pids.access = why; }},
        {"tracer", [](ProcessFacts& process, Access why) { process.tracer.access = why; }},
        {"standard_input",
         [](ProcessFacts& process, Access why) { process.standard_input.access = why; }},
        {"standard_output",
         [](ProcessFacts& process, Access why) { process.standard_output.access = why; }},
        {"listeners", [](ProcessFacts& process, Access why) { process.listeners.access = why; }},
        {"locks", [](ProcessFacts& process, Access why) { process.held_locks.access = why; }},
        {"root", [](ProcessFacts& process, Access why) { process.same_root.access = why; }},
        {"home", [](ProcessFacts& process, Access why) { process.same_home.access = why; }},
        {"records", [](ProcessFacts& process, Access why) { process.hidden_records.access = why; }},
    };
    for (const auto& reading : readings) {
        for (const Access why : kFailures) {
            FactsBuilder builder = FactsBuilder().orphan_worker(kPid, kGonePid);
            REQUIRE(is_orphan(judged(builder, kPid)));
            reading.fail(builder[kPid], why);
            const Judgement judgement = judged(builder, kPid);
            INFO(reading.what << ", " << to_string(why));
            CHECK(vetoes_of(judgement) ==
                  std::vector<std::string>{std::string("veto.unreadable.") + reading.what});
            CHECK(judgement.verdict == Verdict::unknown);
            CHECK(planned(builder).empty());
        }
    }
}

TEST_CASE("veto: a script that could not be told, where the family has scripts") {
    for (const Access why : kFailures) {
        check_veto("unreadable.script", Verdict::unknown,
                   [why](ProcessFacts& process) { process.script.access = why; });
    }
    CHECK(is_orphan(
        judged(FactsBuilder().orphan_worker(kPid, kGonePid), kPid)));  // a module has none
}

TEST_CASE("veto: an environment that could not be read, even where an option tells the home") {
    for (const Access why : kFailures) {
        FactsBuilder builder = orphan();
        add_argument(builder[kPid], "--home=" + kHome);
        REQUIRE(is_orphan(judged(builder, kPid)));
        builder[kPid].environment.access = why;
        check_vetoed(builder, "unreadable.environment", Verdict::unknown);
    }
}

TEST_CASE(
    "an environment that could not be read leaves no other source of the home to guess from") {
    FactsBuilder builder = orphan();
    auto rules = policy::built_in_rules();
    for (policy::FamilyRule& rule : rules.families) {
        rule.home = {{policy::HomeSource::From::environment, "MEMOS_HOME"},
                     {policy::HomeSource::From::fixed, "/srv"}};
    }
    builder[kPid].environment.value.clear();
    CHECK(policy::judge(builder.facts(), rules, {}, {}).at(0).home == "/srv");
    builder[kPid].environment.access = Access::denied;
    CHECK(policy::judge(builder.facts(), rules, {}, {}).at(0).home.empty());
}

TEST_CASE("veto: protected by the user, by every way to say so") {
    const FactsBuilder builder = orphan();
    const auto protected_by = [&](reaper::policy::ProtectRule rule) {
        auto rules = reaper::policy::built_in_rules();
        rule.origin = "rules.json";
        rules.protect = {rule};
        const auto all = reaper::policy::judge(builder.facts(), rules, {}, {});
        REQUIRE(all.size() == 1);
        const bool kept = vetoes_of(all[0]) == std::vector<std::string>{"veto.protected"};
        CHECK(kept == (all[0].verdict == Verdict::supervised));
        CHECK(kept == (all[0].action == Action::keep));
        CHECK(kept != is_orphan(all[0]));
        return kept;
    };
    CHECK(protected_by({{}, "/usr/bin/node", {}, {}}));
    CHECK(protected_by({{}, {}, {"--agent=hermes"}, {}}));
    CHECK(protected_by({{}, {}, {"--no-viewer", "--agent=hermes"}, {}}));
    CHECK(protected_by({{}, {}, {}, kHome}));
    CHECK(protected_by({{}, "/usr/bin/node", {"--no-viewer"}, kHome}));
    CHECK_FALSE(protected_by({{}, "/usr/bin/nodejs", {}, {}}));
    CHECK_FALSE(protected_by({{}, {}, {"--agent"}, {}}));
    CHECK_FALSE(protected_by({{}, {}, {"--agent=hermes", "--daemon"}, {}}));
    CHECK_FALSE(protected_by({{}, {}, {}, kHome + "/x"}));
    CHECK_FALSE(protected_by({{}, "/usr/bin/node", {"--no-viewer"}, "/elsewhere"}));
}

TEST_CASE("veto: protected under any name of the home or the executable") {
    const auto protected_by = [](const FactsBuilder& builder, reaper::policy::ProtectRule rule) {
        auto rules = reaper::policy::built_in_rules();
        rules.protect = {std::move(rule)};
        return vetoes_of(reaper::policy::judge(builder.facts(), rules, {}, {}).at(0)) ==
               std::vector<std::string>{"veto.protected"};
    };
    FactsBuilder builder = orphan();
    builder.real_home("/home/u/link", kHome).real_home("/usr/bin/node-link", "/usr/bin/node");
    CHECK(protected_by(builder, {{}, {}, {}, "/home/u/link"}));
    CHECK(protected_by(builder, {{}, "/usr/bin/node-link", {}, {}}));
    CHECK_FALSE(protected_by(builder, {{}, {}, {}, "/home/u/other-link"}));
    CHECK_FALSE(protected_by(builder, {{}, "/usr/bin/other-link", {}, {}}));
    set_home(builder[kPid], "/home/u/link");  // as the process has it, and as the rule does
    CHECK(protected_by(builder, {{}, {}, {}, "/home/u/link"}));
    CHECK(protected_by(builder, {{}, {}, {}, kHome}));
    builder[kPid].row.exe.value = "/usr/bin/node (deleted)";  // another name of the file is left
    CHECK(protected_by(builder, {{}, "/usr/bin/node", {}, {}}));
}

TEST_CASE("veto: protected by a rule of the user whose process it is, and of no other user") {
    const FactsBuilder builder = orphan();
    const reaper::scanner::Uid owner = builder.facts().candidates.at(0).row.uid;
    auto rules = reaper::policy::built_in_rules();
    rules.protect = {{"rules.json", {}, {}, kHome, owner}};
    CHECK(vetoes_of(reaper::policy::judge(builder.facts(), rules, {}, {}).at(0)) ==
          std::vector<std::string>{"veto.protected"});
    rules.protect[0].uid = owner + 1;
    CHECK(is_orphan(reaper::policy::judge(builder.facts(), rules, {}, {}).at(0)));
}

TEST_CASE("veto: what its user protects is not known") {
    const FactsBuilder builder = orphan();
    const reaper::scanner::Uid owner = builder.facts().candidates.at(0).row.uid;
    auto rules = reaper::policy::built_in_rules();
    rules.users_with_unreadable_rules[owner + 1] = "a.json has a mistake";
    CHECK(is_orphan(reaper::policy::judge(builder.facts(), rules, {}, {}).at(0)));
    rules.users_with_unreadable_rules[owner] = "b.json has a mistake";
    const auto judgement = reaper::policy::judge(builder.facts(), rules, {}, {}).at(0);
    CHECK(vetoes_of(judgement) == std::vector<std::string>{"veto.unreadable.rules"});
    CHECK(judgement.verdict == Verdict::unknown);
    CHECK(judgement.action == Action::report);
    CHECK(std::ranges::any_of(judgement.evidence, [](const auto& piece) {
        return piece.code == "veto.unreadable.rules" &&
               piece.detail.ends_with(": b.json has a mistake");
    }));
}

}  // namespace reaper::test
