#include "agent/redaction/facts.hpp"

#include <algorithm>
#include "policy/match/match.hpp"
#include "policy/verdict/judge.hpp"
#include "scanner/json/facts_json.hpp"
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
    for (const policy::Judgement& judgement : policy::judge(facts, rules(), {}, {})) {
        std::string line = std::to_string(judgement.identity.pid) + " " + judgement.family + " " +
                           judgement.role + " " + judgement.home + " " +
                           std::string(to_string(judgement.verdict)) + " " +
                           std::string(to_string(judgement.action));
        for (const policy::Evidence& piece : judgement.evidence) line += " " + piece.code;
        for (const scanner::Pid pid : judgement.relies_on) line += " " + std::to_string(pid);
        lines.push_back(std::move(line));
    }
    return lines;
}

policy::Rules all_families() {
    policy::Rules all = rules();
    for (policy::FamilyRule& rule : all.families) rule.enabled = true;
    return all;
}

// An executable that a family of one's own asks to be marked.
policy::Rules marked_by(const std::vector<std::string>& marks) {
    policy::Rules marked;
    marked.families.push_back(policy::default_family("acme"));
    marked.families.front().programs.emplace_back();
    marked.families.front().programs.front().executables = {"acme"};
    marked.families.front().programs.front().marked_variables = marks;
    marked.families.front().several_with = {"ACME_MANY=yes"};
    marked.families.front().home = {{policy::HomeSource::From::environment, "ACME_HOME"}};
    marked.families.front().owners = {{policy::OwnerSource::From::environment, "ACME_OWNER", ""}};
    return marked;
}

FactsBuilder crowd() {
    FactsBuilder builder;
    builder.orphan_bridge(100)
        .orphan_pair(110, 120)
        .daemon(130)
        .listening_daemon(140)
        .orphan_worker(150, kGonePid);
    builder.orphan_worker(151, kHost).attached_bridge(160, kHost).attached_bridge(170, kHost);
    builder.claim(claim_of(scanner::ClaimKind::bridge_pid, kHome, 140));
    return builder;
}

}  // namespace

TEST_CASE("what rules can ask for stays in its place, everything else goes") {
    CHECK(redacted({"node", "/opt/x/dist/bridge.mjs", "--agent=hermes", "--home", "/srv/h",
                    "--no-viewer", "--token", "hunter2", "--key=hunter2", "hunter2", "--",
                    "-phunter2"}) == Argv{"node", "/opt/x/dist/bridge.mjs", "--agent=hermes",
                                          "--home", "/srv/h", "--no-viewer", "--token",
                                          "[redacted]", "--key=[redacted]", "[redacted]", "--",
                                          "-p[redacted]"});
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

TEST_CASE("what a script of Hermes runs stays recognisable, and the script loses its secrets") {
    const std::string script =
        "import hermes_bootstrap; token = 'hunter2'; os.environ['HERMES_HOME'] = "
        "os.environ.get('HERMES_HOME') or '/srv/hermes'; runpy.run_module('hermes_cli.main')";
    FactsBuilder builder = crowd();
    builder.orphan(row(170, 1, "/usr/bin/python3.14", {"python3", "-Ic" + script, "serve"}));
    builder.relative(row(60, 1, "/usr/bin/python3.14",
                         {"python3", "-I", "-c", script, "gateway", "run", "--token", "hunter2"}));
    builder.attached_bridge(180, 60);
    builder[170].environment.value = {{"HOME", "/home/u"}};
    const scanner::Facts shown = redact(builder.facts(), rules());
    CHECK(scanner::facts_to_json({shown, {}}).find("hunter2") == std::string::npos);
    CHECK(std::ranges::any_of(verdicts(builder.facts()), [](const std::string& line) {
        return line.starts_with("170 serve daemon /srv/hermes ");
    }));
    CHECK(verdicts(shown) == verdicts(builder.facts()));
}

TEST_CASE("parents stay recognisable as hosts, and lose their secrets") {
    FactsBuilder builder = crowd();
    scanner::ProcessRow host =
        row(60, 1, "/usr/bin/python3.11",
            {"python3", "-m", "hermes_cli.main", "gateway", "run", "--token", "hunter2"});
    builder.relative(host).attached_bridge(180, 60);
    scanner::Claim claim = claim_of(scanner::ClaimKind::ledger, kHermesHome, 100);
    claim.spawner_row = scanner::Reading<scanner::ProcessRow>::of(host);
    claim.named = claim.spawner_row;
    builder.claim(claim);
    const scanner::Facts shown = redact(builder.facts(), rules());
    CHECK(scanner::facts_to_json({shown, {}}).find("hunter2") == std::string::npos);
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
            for (const scanner::ProcessFacts& process :
                 scanner::Facts(builder.facts()).candidates) {
                auto& argv = builder[process.row.pid].row.command_line.value.argv;
                argv.insert(
                    argv.begin() + static_cast<std::ptrdiff_t>(std::min(place, argv.size())),
                    addition);
            }
            INFO(addition << " at " << place);
            CHECK(verdicts(redact(builder.facts(), rules())) == verdicts(builder.facts()));
        }
    }
    CHECK(verdicts(crowd().facts()).size() == 9);
}

TEST_CASE("programs of every family and pack are matched alike once they are redacted") {
    policy::Rules all = all_families();
    const auto family_of = [&](const scanner::ProcessRow& row) {
        const auto match = policy::match(all, row);
        return match ? match->rule->name + "/" + match->role.name : std::string();
    };
    const std::vector<std::pair<std::string, Argv>> programs = {
        {"serve/desktop",
         {"/usr/bin/python3", "-m", "hermes_cli.main", "-p", "hunter2", "serve", "--port", "0"}},
        {"kanban/worker", {"/usr/bin/python3", "/v/hermes", "chat", "-q", "work kanban task t_1"}},
        {"kanban/worker",
         {"/usr/bin/python3", "/v/hermes", "chat", "-q", "hunter2"}},  // if a variable marks it
        {"mcp/watchdog",
         {"/usr/bin/python3", "/x/mcp_stdio_watchdog.py", "--ppid", "7", "--", "hunter2"}},
        {"agent_browser/browser",
         {"/opt/chrome", "--headless=new", "--user-data-dir=/tmp/agent-browser-chrome-1"}},
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
    all.families.erase(
        std::remove_if(all.families.begin(), all.families.end(),
                       [](const policy::FamilyRule& rule) { return rule.pack == "hermes"; }),
        all.families.end());
    FactsBuilder titled;
    titled.orphan(row(100, 1, "/usr/bin/node", {"npm exec -y x-mcp hunter2", ""}));
    const auto shown = redact(titled.facts(), all).candidates.front().row;
    CHECK(shown.command_line.value.argv == Argv{"npm exec -y x-mcp [redacted]", ""});
    CHECK(family_of(shown) == "mcp_server/server");
}

TEST_CASE("a word that fits a pattern is shown only where it is plain, and no option's value") {
    const Argv secrets = {"https://mcp.acme.example/sse?api_key=SECRET",
                          R"({"mcpServers": {"x": {"env": {"TOKEN": "SECRET"}}}})",
                          "Authorization: Bearer mcp_SECRET", "TOKEN=SECRET_mcp", "/tmp/SECRET"};
    const std::string masked = "[redacted]mcp[redacted]";
    for (const std::string& secret : secrets) {
        const bool fits = secret.find("mcp") != std::string::npos;
        CHECK(redacted({"node", "/b/npx", "-y", secret}) ==
              Argv{"node", "/b/npx", "-y", fits ? masked : "[redacted]"});
    }
    CHECK(redacted({"node", "/b/npx", "-y", "mcp-remote"}).back() == "mcp-remote");
    CHECK(redacted({"node", "--heap=9", "/b/npx", "@x/mcp"}) ==
          Argv{"node", "--heap=[redacted]", "/b/npx", "@x/mcp"});
    CHECK(redacted({"node", "/b/npx", "--token", "mcp_SECRET"}).back() == masked);
    CHECK(redacted({"node", "/b/npx", "--package", "mcp_SECRET"}).back() == masked);
    CHECK(redacted({"hermes", "-q", "mcp_SECRET"}).back() == masked);
    CHECK(redacted({"hermes", "--header", "Bearer", "mcp_SECRET"}).back() == masked);
    CHECK(redacted({"hermes", "-q", "work kanban task SECRET"}).back() ==
          "work kanban task [redacted]");
    CHECK(redacted({"chrome", "--user-data-dir=/tmp/x"}).back() == "--user-data-dir=/tmp/x");
    CHECK(redacted({"chrome", "--user-data-dir", "/tmp/x"}).back() == "/tmp/x");
    CHECK(redacted({"chrome", "--user-data-dir=/tmp/x?SECRET"}).back() ==
          "--user-data-dir=/tmp/[redacted]");
    CHECK(redacted({"chrome", "MEMOS_HOME", "SECRET"}).back() == "[redacted]");
    CHECK(redacted({"chrome", "--port=/tmp/SECRET"}).back() == "--port=[redacted]");
    CHECK(redacted({"node", "/srv/Jane Doe/x/bridge.mjs"}).back() == "bridge.mjs");
    CHECK(
        redacted(
            {"npm exec mcp-remote https://mcp.acme.example/SECRET?x --header A: Bearer mcp_SECRET",
             ""}) ==
        Argv{"npm exec mcp-remote " + masked + " --header [redacted] [redacted] " + masked, ""});
    CHECK(redacted({"node", "/w w/node_modules/.bin/x-mcp=SECRET"}).back() ==
          "node_modules/[redacted]mcp[redacted]");
    CHECK(
        redacted({"bash", "-c", "source /h/.claude/shell-snapshots/snapshot-1 && SECRET"}).back() ==
        "source [redacted].claude/shell-snapshots/snapshot-[redacted]");
    CHECK(redacted({"npm exec  SECRET", ""}).front() == "npm exec  [redacted]");
}

TEST_CASE("what is masked is matched like the word that it stands for") {
    const policy::Rules all = all_families();
    const std::vector<std::pair<std::string, Argv>> programs = {
        {"mcp_server",
         {"/usr/bin/node", "/b/npx", "-y", "https://mcp.acme.example/sse?key=SECRET"}},
        {"mcp_server", {"/usr/bin/node", "/b/npx", "--unheard-of", "notes-mcp"}},
        {"mcp_server", {"/usr/bin/node", "/b/npx", "@modelcontextprotocol/x=SECRET"}},
        {"mcp_server", {"/usr/bin/node", "/home/Jane Doe/_npx/1/node_modules/.bin/notes-mcp"}},
        {"mcp_server", {"/usr/bin/node", "/home/Jane Doe/w/node_modules/.bin/notes-mcp"}},
        {"mcp_server", {"/usr/bin/node", "/home/Jane Doe/w/node_modules/@x/mcp-SECRET=1/a.js"}},
        {"mcp_server", {"/usr/bin/node", "/w w/node_modules/@modelcontextprotocol/x/SECRET.js"}},
        {"tool_shell",
         {"/usr/bin/bash", "-c", "-l",
          "source /home/u/.claude/shell-snapshots/snapshot-bash-1.sh && eval 'curl -u SECRET'"}},
        {"tool_shell",
         {"/usr/bin/zsh", "-c", "source ~/.claude/shell-snapshots/snapshot-x.sh; echo SECRET"}},
        {"bridge",
         {"/usr/bin/node", "/home/Jane Doe/memos-plugin/dist/bridge.cjs", "--agent=hermes"}},
        {"kanban", {"/usr/bin/python3", "/v/hermes", "chat", "-q", "work kanban task SECRET"}},
        {"agent_browser",
         {"/opt/chrome", "--headless", "--user-data-dir=/tmp/a b/agent-browser-chrome-SECRET"}},
        {"headless_browser", {"/opt/chrome", "--headless", "--user-data-dir=/tmp/a b/playwright"}}};
    for (const auto& [family, argv] : programs) {
        FactsBuilder builder;
        builder.orphan(row(100, 1, argv.front(), argv));
        const scanner::Facts shown = redact(builder.facts(), all);
        const scanner::ProcessFacts& process = shown.candidates.front();
        const auto match = policy::match(all, process.row, process.environment);
        INFO(process.row.command_line.value.argv.back());
        REQUIRE(match);
        CHECK(match->rule->name == family);
        CHECK(scanner::facts_to_json({shown, {}}).find("SECRET") == std::string::npos);
    }
}

TEST_CASE("options of one letter are matched alike in whatever word they share") {
    const std::vector<Argv> ways = {{"-uB", "-m"},      {"-Bum"},          {"-um"},
                                    {"-OO", "-m"},      {"-bb", "-m"},     {"-uBs", "-m"},
                                    {"-Es", "-m"},      {"-qq", "-m"},     {"-ISu", "-m"},
                                    {"-Xutf8", "-m"},   {"-uXutf8", "-m"}, {"-Wd", "-m"},
                                    {"-uW", "d", "-m"}, {"-uX=dev", "-m"}};
    for (const Argv& way : ways) {
        FactsBuilder builder = crowd();
        auto& argv = builder[150].row.command_line.value.argv;
        REQUIRE(argv.at(1) == "-m");
        argv.erase(argv.begin() + 1);
        argv.insert(argv.begin() + 1, way.begin(), way.end());
        INFO(way.front());
        CHECK(verdicts(builder.facts()) == verdicts(crowd().facts()));
        CHECK(verdicts(redact(builder.facts(), rules())) == verdicts(crowd().facts()));
    }
    CHECK(redacted({"python3", "-uBs", "-Xkey=hunter2", "-uXhunter2", "-uphunter2", "-u9hunter2",
                    "-phunter2", "-p"}) == Argv{"python3", "-uBs", "-X[redacted]=[redacted]",
                                                "-uX[redacted]", "-up[redacted]", "-u[redacted]",
                                                "-p[redacted]", "-p"});
}

TEST_CASE("of variables that only mark a program, no more is kept than what the rules ask for") {
    const policy::Rules marked =
        marked_by({"ACME_TOKEN", "ACME_MODE=serve:*", "HOME", "ACME_HOME", "ACME_OWNER"});
    FactsBuilder builder;
    builder.orphan(row(100, 1, "/opt/acme", {"acme"}));
    builder[100].environment.value = {{"ACME_TOKEN", "SECRET"}, {"ACME_MODE", "serve:SECRET"},
                                      {"HOME", "/home/a"},      {"ACME_HOME", "/srv/a"},
                                      {"ACME_OWNER", "77"},     {"ACME_MANY", "yes"}};
    const auto shown = redact(builder.facts(), marked).candidates.front();
    using Variables = std::map<std::string, std::string>;
    CHECK(shown.environment.value == Variables{{"ACME_TOKEN", "[redacted]"},
                                               {"ACME_MODE", "serve:[redacted]"},
                                               {"HOME", "/home/a"},
                                               {"ACME_HOME", "/srv/a"},
                                               {"ACME_OWNER", "77"},
                                               {"ACME_MANY", "yes"}});
    CHECK(policy::match(marked, shown.row, shown.environment));
    builder[100].environment.value = {{"ACME_MODE", "SECRET"}};
    const auto other = redact(builder.facts(), marked).candidates.front();
    CHECK(other.environment.value == Variables{{"ACME_MODE", "[redacted]"}});
    CHECK_FALSE(policy::match(marked, other.row, other.environment));
}

}  // namespace reaper::test
