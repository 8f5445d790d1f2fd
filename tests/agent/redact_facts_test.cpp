#include "agent/redact_facts.hpp"

#include "policy/judge.hpp"
#include "policy/match.hpp"
#include "scanner/facts_json.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/facts_builder.hpp"

namespace reaper::test {

namespace {

using agent::redact;
using Argv = std::vector<std::string>;

const policy::Rules& rules() {
    static const policy::Rules built_in = policy::built_in_rules();
    return built_in;
}

Argv redacted(Argv argv) {
    FactsBuilder builder;
    builder.orphan_bridge(100);
    builder[100].row.command_line.value.argv = std::move(argv);
    return redact(builder.facts(), rules()).candidates.front().row.command_line.value.argv;
}

// All but the details, which quote argv.
std::vector<std::string> verdicts(const scanner::Facts& facts) {
    std::vector<std::string> lines;
    for (const policy::Judgement& judgement : policy::judge(facts, rules(), {})) {
        std::string line = std::to_string(judgement.identity.pid) + " " + judgement.family + " " + judgement.role +
                           " " + judgement.home + " " + std::string(to_string(judgement.verdict)) + " " +
                           std::string(to_string(judgement.action));
        for (const policy::Evidence& piece : judgement.evidence) line += " " + piece.code;
        for (const scanner::Pid pid : judgement.relies_on) line += " " + std::to_string(pid);
        lines.push_back(std::move(line));
    }
    return lines;
}

FactsBuilder crowd() {
    FactsBuilder builder;
    builder.orphan_bridge(100).orphan_pair(110, 120).daemon(130).listening_daemon(140).orphan_worker(150, kGonePid);
    builder.orphan_worker(151, kHost).attached_bridge(160, kHost).attached_bridge(170, kHost);
    builder.claim(claim_of(scanner::ClaimKind::bridge_pid, kHome, 140));
    return builder;
}

}  // namespace

TEST_CASE("what rules can ask for stays in its place, everything else goes") {
    CHECK(redacted({"node", "/opt/x/dist/bridge.mjs", "--agent=hermes", "--home", "/srv/h", "--no-viewer", "--token",
                    "hunter2", "--key=hunter2", "hunter2", "--", "-phunter2"}) ==
          Argv{"node", "/opt/x/dist/bridge.mjs", "--agent=hermes", "--home", "/srv/h", "--no-viewer", "--token",
               "[redacted]", "--key=[redacted]", "[redacted]", "--", "-p[redacted]"});
    CHECK(redacted({"TOKEN=hunter2 x", "TOKEN=hunter2"}) == Argv{"[redacted]", "[redacted]"});
    CHECK(redacted({"node", "--AKIA0123456789ABCDEF", "-"}) == Argv{"node", "--[redacted]", "-"});
    CHECK(redacted({}).empty());
}

TEST_CASE("more arguments than a report shows are still there") {
    Argv argv(500, "hunter2");
    argv.push_back("--no-viewer");
    const Argv shown = redacted(argv);
    REQUIRE(shown.size() == 501);
    CHECK(shown.back() == "--no-viewer");
    CHECK(shown[300] == "[redacted]");
}

TEST_CASE("parents stay recognisable as hosts, and lose their secrets") {
    FactsBuilder builder = crowd();
    scanner::ProcessRow host =
        row(60, 1, "/usr/bin/python3.11", {"python3", "-m", "hermes_cli.main", "gateway", "run", "--token", "hunter2"});
    builder.relative(host).attached_bridge(180, 60);
    scanner::Claim claim = claim_of(scanner::ClaimKind::ledger, kHermesHome, 100);
    claim.spawner_row = scanner::Reading<scanner::ProcessRow>::of(host);
    claim.named = claim.spawner_row;
    builder.claim(claim);
    const scanner::Facts shown = redact(builder.facts(), rules());
    CHECK(scanner::facts_to_json(shown).find("hunter2") == std::string::npos);
    CHECK(scanner::facts_to_json(builder.facts()).find("hunter2") != std::string::npos);
    CHECK(verdicts(shown) == verdicts(builder.facts()));
}

TEST_CASE("redacted facts are judged as the facts are") {
    const Argv additions = {"--token=x",  "secret",   "-c",   "--home=/srv/other",
                            "--daemon",   "-psecret", "-c=x", "--parent-pid=1",
                            "bridge.cjs", "-m",       "--",   "--no-viewer=1"};
    for (const std::string& addition : additions) {
        for (const std::size_t place : {1U, 2U, 3U}) {
            FactsBuilder builder = crowd();
            for (const scanner::ProcessFacts& process : scanner::Facts(builder.facts()).candidates) {
                auto& argv = builder[process.row.pid].row.command_line.value.argv;
                argv.insert(argv.begin() + static_cast<std::ptrdiff_t>(std::min(place, argv.size())), addition);
            }
            INFO(addition << " at " << place);
            CHECK(verdicts(redact(builder.facts(), rules())) == verdicts(builder.facts()));
        }
    }
    CHECK(verdicts(crowd().facts()).size() == 9);
}

TEST_CASE("programs of every family and pack are matched alike once they are redacted") {
    policy::Rules all = rules();
    for (policy::FamilyRule& rule : all.families) rule.enabled = true;
    const auto family_of = [&](const scanner::ProcessRow& row) {
        const auto match = policy::match(all, row);
        return match ? match->rule->name + "/" + match->role.name : std::string();
    };
    const std::vector<std::pair<std::string, Argv>> programs = {
        {"serve/desktop", {"/usr/bin/python3", "-m", "hermes_cli.main", "-p", "hunter2", "serve", "--port", "0"}},
        {"kanban/worker", {"/usr/bin/python3", "/v/hermes", "chat", "-q", "work kanban task t_1"}},
        {"kanban/worker", {"/usr/bin/python3", "/v/hermes", "chat", "-q", "hunter2"}},  // if a variable marks it
        {"mcp/watchdog", {"/usr/bin/python3", "/x/mcp_stdio_watchdog.py", "--ppid", "7", "--", "hunter2"}},
        {"agent_browser/browser", {"/opt/chrome", "--headless=new", "--user-data-dir=/tmp/agent-browser-chrome-1"}},
        {"headless_browser/browser", {"/opt/chrome", "--headless", "--user-data-dir", "/tmp/x"}},
        {"mcp/server", {"/usr/bin/node", "hunter2"}},  // if a variable marks it
        {"tui/viewer", {"/usr/bin/node", "/x/ui-tui/dist/entry.js", "hunter2"}},
    };
    for (const auto& [expected, argv] : programs) {
        FactsBuilder builder;
        builder.orphan(row(100, 1, argv.front(), argv));
        const auto shown = redact(builder.facts(), all).candidates.front().row;
        INFO(expected);
        CHECK(family_of(builder.facts().candidates.front().row) == expected);
        CHECK(family_of(shown) == expected);
        const Argv& words = shown.command_line.value.argv;
        CHECK(std::find(words.begin(), words.end(), "hunter2") == words.end());
    }
    all.families.erase(std::remove_if(all.families.begin(), all.families.end(),
                                      [](const policy::FamilyRule& rule) { return rule.pack == "hermes"; }),
                       all.families.end());
    FactsBuilder titled;
    titled.orphan(row(100, 1, "/usr/bin/node", {"npm exec -y x-mcp hunter2", ""}));
    const auto shown = redact(titled.facts(), all).candidates.front().row;
    CHECK(shown.command_line.value.argv == Argv{"npm exec -y x-mcp [redacted]", ""});
    CHECK(family_of(shown) == "mcp_server/server");
}

}  // namespace reaper::test
