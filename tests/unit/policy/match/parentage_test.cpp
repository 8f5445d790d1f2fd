#include "policy/match/parentage.hpp"

#include <algorithm>

#include "policy/rules/rules.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/policy/verdict/judged.hpp"

namespace reaper::test {

namespace {

using Nature = policy::Parentage::Nature;
using scanner::Access;
using scanner::Pid;
using scanner::ProcessRow;
using scanner::Reading;

constexpr Pid kChild = 100;
constexpr Pid kParent = 60;

// A shell in the child's session: nothing about it is special.
ProcessRow plain_parent() {
    ProcessRow parent = row(kParent, 1, "/usr/bin/bash", {"bash"});
    parent.start_ticks = kNow - 2 * kHour;
    return parent;
}

const policy::FamilyRule& bridge_of(const policy::Rules& rules) {
    return *std::ranges::find(rules.families, "bridge", &policy::FamilyRule::name);
}

Nature nature_under(const ProcessRow& parent, void (*change)(ProcessRow& child) = nullptr) {
    ProcessRow child = row(kChild, parent.pid, "/usr/bin/node", {"node"});
    if (change != nullptr) change(child);
    const auto rules = policy::built_in_rules();
    scanner::Facts facts;
    facts.relatives = {parent};
    return policy::parentage_of(facts, bridge_of(rules), child).nature;
}

// The user's manager, seen as well as it can be.
ProcessRow manager() {
    ProcessRow parent = plain_parent();
    parent.exe.value = "/usr/lib/systemd/systemd";
    parent.comm = "systemd";
    parent.command_line.value.argv = {"/usr/lib/systemd/systemd", "--user"};
    parent.cgroup.value = "/user.slice/user-1000.slice/user@1000.service/init.scope";
    return parent;
}

}  // namespace

TEST_CASE("any living process counts as a host until it is proven to have adopted") {
    CHECK(nature_under(plain_parent()) == Nature::live);
    CHECK(policy::Parentage{Nature::live, 1, ""}.has_live_host());
    CHECK(policy::Parentage{Nature::host, 1, ""}.has_live_host());
    for (const Nature nature : {Nature::init, Nature::user_manager, Nature::subreaper}) {
        CHECK(policy::Parentage{nature, 1, ""}.adopted());
        CHECK_FALSE(policy::Parentage{nature, 1, ""}.has_live_host());
    }
    for (const Nature nature : {Nature::outside, Nature::unknown}) {
        CHECK_FALSE(policy::Parentage{nature, 1, ""}.adopted());
        CHECK_FALSE(policy::Parentage{nature, 1, ""}.has_live_host());
    }
}

TEST_CASE("what adopts is known without a family") {
    const auto adopts = [](const ProcessRow& parent) {
        return policy::is_adopter(parent, row(kChild, parent.pid, "/usr/bin/node", {"node"}));
    };
    CHECK_FALSE(adopts(plain_parent()));
    CHECK(adopts(manager()));
    CHECK(adopts(row(1, 0, "/usr/lib/systemd/systemd", {"/sbin/init"})));
    ProcessRow elsewhere = plain_parent();
    elsewhere.session = 7;
    CHECK(adopts(elsewhere));
}

TEST_CASE("pid 1 adopts when it is an init, by its exe, or by the name that root's gives itself") {
    for (const char* exe :
         {"/usr/lib/systemd/systemd", "/sbin/init", "/usr/bin/tini", "/usr/sbin/docker-init",
          "/usr/bin/dumb-init", "/usr/bin/catatonit", "/bin/s6-svscan"}) {
        ProcessRow init = row(1, 0, exe, {"init"});
        init.session = 1;
        CHECK(nature_under(init) == Nature::init);
        init.pid = kParent;
        init.session = kParent;
        CHECK(nature_under(init) == Nature::live);
    }
    ProcessRow init = row(1, 0, "/usr/lib/systemd/systemd", {"/sbin/init"});
    init.session = 1;
    init.exe = Reading<std::string>::failed(Access::denied);
    init.uid = 0;
    CHECK(nature_under(init) == Nature::init);
    init.uid = kUser;  // any program may have that name
    CHECK(nature_under(init) == Nature::live);
}

TEST_CASE(
    "pid 1 that is no init is like any parent: in a container it may have started the helper") {
    for (const char* exe :
         {"/usr/bin/bash", "/usr/bin/node", "/bin/busybox", "/usr/bin/systemd-nspawn"}) {
        ProcessRow init = row(1, 0, exe, {"x"});
        init.uid = 0;
        init.session = 1;
        CHECK(nature_under(init) == Nature::live);
        init.session = 40;  // that of the child
        CHECK(nature_under(init) == Nature::live);
        init.session = 41;
        CHECK(nature_under(init) == Nature::init);
        init.session = 0;  // outside of this pid namespace
        CHECK(nature_under(init) == Nature::init);
        CHECK(nature_under(init, [](ProcessRow& child) { child.session = kChild; }) ==
              Nature::live);
        CHECK(nature_under(init, [](ProcessRow& child) { child.session = 0; }) == Nature::live);
    }
    ProcessRow init = row(1, 0, "/bin/busybox", {"init"});
    init.uid = 0;
    init.session = 1;
    init.comm = "init";
    CHECK(nature_under(init) == Nature::init);
}

TEST_CASE("pid 1 that is not seen may be a host, and one that is seen to be a host is no init") {
    const auto rules = policy::built_in_rules();
    const ProcessRow child = row(kChild, 1, "/usr/bin/node", {"node"});
    CHECK(policy::parentage_of({}, bridge_of(rules), child).nature == Nature::unknown);
    ProcessRow host =
        row(1, 0, "/usr/bin/python3", {"python3", "-m", "hermes_cli.main", "gateway", "run"});
    host.session = 0;
    CHECK(nature_under(host) == Nature::host);
}

TEST_CASE("a helper below a pid 1 that is no init is attached") {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kChild);
    REQUIRE(is_orphan(judged(builder, kChild)));
    scanner::Facts facts = builder.facts();
    facts.relatives.front().exe.value = "/usr/bin/supervisor";
    facts.relatives.front().comm = "supervisor";
    const auto first = [&] { return policy::judge(facts, policy::built_in_rules(), {}, {}).at(0); };
    CHECK(first().verdict == policy::Verdict::abandoned);
    facts.candidates.front().standard_input = live_end();
    CHECK(first().verdict == policy::Verdict::attached);
    CHECK(vetoes_of(first()) == std::vector<std::string>{"veto.live_host"});
}

TEST_CASE("a parent outside of the namespace, or one that could not be read, is no adopter") {
    const auto rules = policy::built_in_rules();
    const auto nature = [&](Pid ppid) {
        return policy::parentage_of({}, bridge_of(rules),
                                    row(kChild, ppid, "/usr/bin/node", {"node"}))
            .nature;
    };
    CHECK(nature(0) == Nature::outside);
    CHECK(nature(2) == Nature::unknown);
    CHECK(nature(kParent) == Nature::unknown);
}

TEST_CASE("such parents veto") {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kChild);
    REQUIRE(is_orphan(judged(builder, kChild)));
    builder[kChild].row.ppid = 0;
    policy::Judgement judgement = judged(builder, kChild);
    CHECK(vetoes_of(judgement) == std::vector<std::string>{"veto.outside_parent"});
    CHECK(judgement.verdict == policy::Verdict::attached);
    CHECK(judgement.action == policy::Action::keep);
    builder[kChild].row.ppid = kGonePid;
    judgement = judged(builder, kChild);
    CHECK(vetoes_of(judgement) == std::vector<std::string>{"veto.unreadable.parent"});
    CHECK(judgement.verdict == policy::Verdict::unknown);
    CHECK(judgement.action == policy::Action::report);
}

TEST_CASE("a host is told by its argv, also among candidates") {
    CHECK(nature_under(row(kParent, 1, "/usr/bin/python3",
                           {"python3", "-m", "hermes_cli.main", "gateway"})) == Nature::host);
    CHECK(nature_under(row(kParent, 1, "/usr/bin/python3",
                           {"python3", "/usr/bin/hermes", "chat"})) == Nature::host);
    CHECK(nature_under(row(kParent, 1, "/usr/bin/python3",
                           {"python3", "-m", "tui_gateway.slash_worker"})) == Nature::host);
    CHECK(nature_under(row(kParent, 1, "/usr/bin/python3", {"python3", "-c", "x", "hermes"})) ==
          Nature::live);
    const FactsBuilder builder =
        FactsBuilder().orphan_worker(kParent, kGonePid).attached_bridge(kChild, kParent);
    CHECK(judged(builder, kChild).verdict == policy::Verdict::attached);
}

TEST_CASE("a host counts as one even where it would pass for an adopter") {
    ProcessRow host =
        row(kParent, 1, "/usr/bin/python3", {"python3", "-m", "hermes_cli.main", "gateway"});
    host.start_ticks = kNow;
    CHECK(nature_under(host) == Nature::host);
}

TEST_CASE("the user's manager, by exe and argv or by comm and cgroup") {
    CHECK(nature_under(manager()) == Nature::user_manager);
    ProcessRow parent = manager();
    parent.cgroup = Reading<std::string>::failed(Access::denied);
    CHECK(nature_under(parent) == Nature::user_manager);
    parent.command_line = Reading<scanner::CommandLine>::failed(Access::denied);
    CHECK(nature_under(parent) == Nature::live);
    parent = manager();
    parent.exe = Reading<std::string>::failed(Access::denied);
    CHECK(nature_under(parent) == Nature::user_manager);
    parent.cgroup.value = "/user.slice/user-1000.slice/user@1000.service/app.slice/x.service";
    CHECK(nature_under(parent) == Nature::live);
    parent = manager();
    parent.exe = Reading<std::string>::failed(Access::denied);
    parent.comm = "node";
    CHECK(nature_under(parent) == Nature::live);
}

TEST_CASE("no manager: another user's, one without --user, a program of another name") {
    ProcessRow parent = manager();
    parent.uid = kUser + 1;
    CHECK(nature_under(parent) == Nature::live);
    parent = manager();
    parent.comm = "x";
    parent.command_line.value.argv = {"systemd", "--system"};
    CHECK(nature_under(parent) == Nature::live);
    parent = manager();
    parent.comm = "x";
    parent.exe.value = "/usr/bin/not-systemd";
    CHECK(nature_under(parent) == Nature::live);
}

TEST_CASE("a subreaper is proven by a later start, or by a third session") {
    ProcessRow parent = plain_parent();
    parent.start_ticks = kNow - kHour;  // the same tick as the child: no proof
    CHECK(nature_under(parent) == Nature::live);
    parent.start_ticks = kNow - kHour + 1;
    CHECK(nature_under(parent) == Nature::subreaper);
    parent = plain_parent();
    parent.session = 41;
    CHECK(nature_under(parent) == Nature::subreaper);
}

TEST_CASE("a session proves nothing where either may have founded its own") {
    ProcessRow parent = plain_parent();
    parent.session = kParent;
    CHECK(nature_under(parent) == Nature::live);
    parent.session = 41;
    CHECK(nature_under(parent, [](ProcessRow& child) { child.session = kChild; }) == Nature::live);
    parent.session = 40;
    CHECK(nature_under(parent) == Nature::live);
    parent.session = 0;  // outside of this pid namespace: a session like any other
    CHECK(nature_under(parent) == Nature::subreaper);
    CHECK(nature_under(parent, [](ProcessRow& child) { child.session = 0; }) == Nature::live);
}

TEST_CASE("WSL's relay adopts, only root's does") {
    ProcessRow parent = plain_parent();
    parent.uid = 0;
    parent.comm = "Relay(100)";
    CHECK(nature_under(parent) == Nature::init);
    parent.uid = kUser;
    CHECK(nature_under(parent) == Nature::live);
    parent = plain_parent();
    parent.exe.value = "/init";
    CHECK(nature_under(parent) == Nature::live);
    parent.uid = 0;
    CHECK(nature_under(parent) == Nature::init);
}

TEST_CASE("an orphan of each adopter is reaped") {
    for (ProcessRow adopter : {manager(), plain_parent()}) {
        if (adopter.comm == "bash") adopter.start_ticks = kNow;
        FactsBuilder builder = FactsBuilder().orphan_bridge(kChild).relative(adopter);
        builder[kChild].row.ppid = kParent;
        CHECK(is_orphan(judged(builder, kChild)));
    }
}

TEST_CASE(
    "rows are found among candidates, relatives and descendants, in whatever order they came") {
    FactsBuilder builder;
    for (const scanner::Pid pid : {900, 200, 500, 300}) {
        builder.orphan_bridge(pid);
        builder.below(row(pid + 1, pid, "/usr/bin/node", {"node", "x.mjs"}));
    }
    for (const scanner::Pid pid : {1, kHost, 200, 201, 300, 301, 500, 501, 900, 901}) {
        INFO(pid);
        REQUIRE(policy::find_row(builder.facts(), pid) != nullptr);
        CHECK(policy::find_row(builder.facts(), pid)->pid == pid);
    }
    for (const scanner::Pid pid : {0, 2, 199, 202, 499, 902, kGonePid})
        CHECK(policy::find_row(builder.facts(), pid) == nullptr);
}

}  // namespace reaper::test
