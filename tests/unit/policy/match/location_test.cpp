#include "policy/match/location.hpp"

#include "policy/match/member.hpp"
#include "policy/rules/rules.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/facts_builder.hpp"

namespace reaper::test {

using policy::runs_below;
using scanner::Access;
using scanner::Reading;

TEST_CASE("a process runs below a folder by its working folder, executable or script") {
    const auto cwd = [](const char* path) { return Reading<std::string>::of(path); };
    const auto node = [](std::vector<std::string> argv) {
        return row(7, 1, "/usr/bin/node", std::move(argv));
    };
    CHECK(runs_below({"/w/a"}, node({"node"}), cwd("/w/a")));
    CHECK(runs_below({"/w/a"}, node({"node"}), cwd("/w/a/b")));
    CHECK_FALSE(runs_below({"/w/a"}, node({"node"}), cwd("/w/ab")));
    CHECK_FALSE(runs_below({"/w/a"}, node({"node"}), cwd("/w")));
    CHECK(runs_below({"/w/a"}, row(7, 1, "/w/a/tool", {"tool"}), cwd("/")));
    CHECK(runs_below({"/w/a"}, node({"node", "--expose-gc", "/w/a/s.cjs"}), cwd("/")));
    CHECK(runs_below({"/w/a"}, node({"node", "a/s.cjs"}), cwd("/w")));
    for (const char* option : {"-e", "-p", "-pe", "--eval", "--print", "--eval=x"})
        CHECK_FALSE(runs_below({"/w/a"}, node({"node", option, "1", "/w/a/x"}), cwd("/")));
    for (const char* option : {"-c", "-Ic", "-uc", "-m"})
        CHECK_FALSE(runs_below({"/w/a"},
                               row(7, 1, "/usr/bin/python3.11", {"python3", option, "x", "/w/a/x"}),
                               cwd("/")));
    for (const char* shell : {"/bin/sh", "/usr/bin/bash", "/usr/bin/dash"})
        CHECK_FALSE(runs_below({"/w/a"}, row(7, 1, shell, {"sh", "-ec", "x", "/w/a/x"}), cwd("/")));
    CHECK_FALSE(
        runs_below({"/w/a"}, row(7, 1, "/usr/bin/perl", {"perl", "-ne", "1", "/w/a/x"}), cwd("/")));
    CHECK(runs_below({"/w/a"}, row(7, 1, "/bin/sh", {"sh", "-e", "/w/a/x"}), cwd("/")));
    CHECK(
        runs_below({"/w/a"}, row(7, 1, "/usr/bin/python3", {"python3", "-u", "/w/a/x"}), cwd("/")));
    CHECK(runs_below({"/w/a", "/l"}, node({"node", "/l/s.cjs"}), cwd("/")));
    CHECK_FALSE(runs_below({"/w/a"}, node({"node", "/l/s.cjs"}), cwd("/")));
    CHECK_FALSE(runs_below({"/w/a"}, node({"node", "../s.cjs"}), cwd("/w/b")));
    CHECK_FALSE(runs_below({"/w/a"}, node({"node", "/w/s.cjs", "/w/a/s.cjs"}), cwd("/")));
    CHECK_FALSE(runs_below({"/w/a"}, row(7, 1, "/usr/bin/vim", {"vim", "/w/a/s.cjs"}), cwd("/")));
    CHECK(runs_below({"/w/a"}, node({"node", "-r", "/b/pre.js", "/w/a/s.cjs"}), cwd("/")));
    CHECK_FALSE(
        runs_below({"/w/a"}, node({"node", "-r", "/b/pre.js", "/b/s.js", "/w/a/x"}), cwd("/")));
    CHECK(runs_below({"/w/a"}, row(7, 1, "/usr/bin/deno", {"deno", "run", "-A", "/w/a/s.js"}),
                     cwd("/")));
    CHECK(runs_below({"/w/a"},
                     row(7, 1, "/usr/bin/python3.11", {"/w/a/.venv/bin/python", "-c", "x"}),
                     cwd("/")));
    const auto hidden = Reading<std::string>::failed(Access::denied);
    CHECK_FALSE(runs_below({"/w/a"}, node({"node", "a/s.cjs"}), hidden));
    CHECK(runs_below({"/w/a"}, node({"node", "/w/a/s.cjs"}), hidden));
}

TEST_CASE("what no other family knows is a leftover, in the role of its executable") {
    policy::Rules rules = policy::built_in_rules();
    CHECK_FALSE(policy::takes_leftovers(rules));
    policy::add_leftovers(rules, {"/w/a"}, "/w/a");
    CHECK(policy::takes_leftovers(rules));
    CHECK(rules.families.back().proofs ==
          std::vector<policy::Proof>{{"stdin.dead", "stdout.dead"}});
    FactsBuilder builder = FactsBuilder().orphan(row(7, 1, "/w/a/tool", {"tool"}));
    const auto members = policy::find_members(builder.facts(), rules);
    REQUIRE(members.size() == 1);
    CHECK(members.front().rule().name == "leftover");
    CHECK(members.front().match.role.name == "tool");
    CHECK(members.front().home == "/w/a");
    builder = FactsBuilder().orphan_bridge(8);
    CHECK(policy::find_members(builder.facts(), rules).front().rule().name == "bridge");
}

}  // namespace reaper::test
