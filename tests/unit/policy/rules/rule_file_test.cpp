// Rule files: what a good one changes, and what is said of every mistake.
#include <algorithm>
#include <fstream>
#include <sstream>

#include "policy/rules/rules.hpp"
#include "tests/support/catch.hpp"

namespace reaper::policy {

namespace {

using Words = std::vector<std::string>;

const FamilyRule& family(const Rules& rules, std::string_view name) {
    const auto found = std::find_if(rules.families.begin(), rules.families.end(),
                                    [&](const auto& rule) { return rule.name == name; });
    REQUIRE(found != rules.families.end());
    return *found;
}

Rules overlaid(std::string_view text) {
    auto rules = overlay_rules(built_in_rules(), text, "rules.json");
    INFO((rules ? "" : rules.error().message));
    REQUIRE(rules.has_value());
    return *rules;
}

std::string mistake(std::string_view text) {
    const auto rules = overlay_rules(built_in_rules(), text, "rules.json");
    return rules ? "none" : rules.error().message;
}

// A member of the bridge family, on the second line at column 3.
std::string mistake_in_bridge(const std::string& member) {
    return mistake("{\"families\": {\"bridge\": {\n  " + member + "}}}");
}

}  // namespace

TEST_CASE("the built-in rules are what their files say, read as a user's are") {
    Rules rules;
    for (const FamilyRule& rule : built_in_rules().families) {
        std::ostringstream text;
        text << std::ifstream(std::string(REAPER_FAMILIES) + "/" + rule.name + ".json").rdbuf();
        auto extended = overlay_rules(std::move(rules), text.str(), "built-in");
        INFO((extended ? "" : extended.error().message));
        REQUIRE(extended.has_value());
        rules = std::move(*extended);
    }
    CHECK(rules == built_in_rules());
}

TEST_CASE("the built-in rules are whole") {
    const Rules rules = built_in_rules();
    REQUIRE(rules.families.size() == 24);
    CHECK(rules.protect.empty());
    const FamilyRule& bridge = family(rules, "bridge");
    CHECK(bridge.origin == "built-in");
    CHECK(bridge.enabled);
    CHECK(bridge.daemon_ports == std::vector<std::uint16_t>{18800});
    CHECK(bridge.daemon_roles == Words{"daemon", "viewer"});
    CHECK(bridge.grace == std::chrono::seconds(30));
    CHECK(bridge.start_up == std::chrono::seconds(180));
    CHECK(bridge.pack == "hermes");
    CHECK_FALSE(bridge.keep_as.has_value());
    CHECK_FALSE(bridge.listens);
    CHECK(bridge.owners.empty());
    CHECK(bridge.programs.front().marked_variables.empty());
    CHECK(bridge.single_instance);
    CHECK_FALSE(bridge.needs_owner);
    CHECK(bridge.proofs == std::vector<Proof>{{"stdin.dead", "stdout.dead"}, {"owner.dead"}});
    CHECK(bridge.actions == default_family("x").actions);
    REQUIRE(bridge.home.size() == 4);
    CHECK(bridge.home[2].from == HomeSource::From::environment_parent);
    const FamilyRule& worker = family(rules, "slash_worker");
    CHECK(worker.grace == std::chrono::seconds(3));
    CHECK(worker.owners ==
          std::vector<OwnerSource>{{OwnerSource::From::option, "--parent-pid", ""}});
    CHECK(worker.daemon_roles.empty());
}

TEST_CASE("what the scanner is asked to look for") {
    Rules rules = built_in_rules();
    // Every other executable has its command line read: a shell that is not needed would cost more
    // than all the rest.
    CHECK(executables_of(rules) == Words{"python",
                                         "bash",
                                         "hermes-setup",
                                         "node",
                                         "nodejs",
                                         "bun",
                                         "iron-proxy",
                                         "agent-browser",
                                         "agent-browser-linux-x64",
                                         "agent-browser-linux-arm64",
                                         "agent-browser-linux-musl-x64",
                                         "agent-browser-linux-musl-arm64",
                                         "agent-browser-darwin-x64",
                                         "agent-browser-darwin-arm64",
                                         "chrome",
                                         "chromium",
                                         "chromium-browser",
                                         "chrome-headless-shell",
                                         "headless_shell",
                                         "Google Chrome",
                                         "Google Chrome for Testing",
                                         "Chromium",
                                         "gopls",
                                         "deno",
                                         "uv",
                                         "uvx"});
    rules.families = {family(rules, "bridge"), family(rules, "slash_worker")};
    CHECK(environment_keys_of(rules) == Words{"HOME",
                                              "HERMES_HOME",
                                              "SYSTEMD_EXEC_PID",
                                              "HERMES_SPAWN",
                                              "ORPHAN_REAPER",
                                              "TMPDIR",
                                              "TMP",
                                              "TEMP",
                                              "CLAUDE_CODE_SESSION_ID",
                                              "CODEX_THREAD_ID",
                                              "CURSOR_TRACE_ID",
                                              "OPENCODE_PID",
                                              "MEMOS_HOME",
                                              "MEMOS_CONFIG_FILE",
                                              "CLAUDECODE",
                                              "CODEX_SANDBOX",
                                              "CODEX_CI",
                                              "CURSOR_AGENT",
                                              "GEMINI_CLI",
                                              "OPENCODE",
                                              "AUGMENT_AGENT",
                                              "ANTIGRAVITY_AGENT",
                                              "NODE_OPTIONS",
                                              "BUN_OPTIONS",
                                              "BUN_INSPECT",
                                              "BUN_INSPECT_NOTIFY",
                                              "MEMOS_HERMES_BRIDGE_MODE"});
    rules.families.front().enabled = false;
    CHECK(executables_of(rules) == Words{"python"});
}

TEST_CASE("start_up is understood as what it was before min_age") {
    const Rules now = overlaid(R"({"families": {"bridge": {"min_age": "7s"}}})");
    CHECK(family(now, "bridge").start_up == std::chrono::seconds(7));
    CHECK(overlaid(R"({"families": {"bridge": {"start_up": "7s"}}})") == now);
    CHECK(mistake(R"({"families": {"bridge": {"start_up": "7s", "min_age": "7s"}}})")
              .find("old name of min_age") != std::string::npos);
}

TEST_CASE("an overlay changes what it names, and nothing else") {
    Rules expected = built_in_rules();
    CHECK(overlaid("{}") == expected);
    CHECK(overlaid(R"({"$schema": "/usr/share/orphan-reaper/orphan-reaper-rules.schema.json"})") ==
          expected);
    const Rules rules = overlaid(
        "// comments are welcome\n{\"families\": {\"bridge\": {\"grace\": /* long */ \"45s\"}}}");
    FamilyRule& bridge = *std::ranges::find(expected.families, "bridge", &FamilyRule::name);
    bridge.grace = std::chrono::seconds(45);
    bridge.origin = "rules.json";
    CHECK(rules == expected);
}

TEST_CASE("families are switched off and on") {
    const Rules off = overlaid(R"({"families": {"bridge": {"enabled": false}}})");
    CHECK_FALSE(family(off, "bridge").enabled);
    CHECK(family(off, "slash_worker").enabled);
    const auto on =
        overlay_rules(off, R"({"families": {"bridge": {"enabled": true}}})", "more.json");
    REQUIRE(on.has_value());
    CHECK(family(*on, "bridge").enabled);
    CHECK(family(*on, "bridge").origin == "more.json");
}

TEST_CASE("a list replaces the list that was there") {
    const Rules rules = overlaid(
        R"({"families": {"bridge": {"daemon": {"ports": [1, 65535]}, "same_options": []}}})");
    CHECK(family(rules, "bridge").daemon_ports == std::vector<std::uint16_t>{1, 65535});
    CHECK(family(rules, "bridge").daemon_roles == Words{"daemon", "viewer"});
    CHECK(family(rules, "bridge").same_options.empty());
}

TEST_CASE("a family of one's own") {
    const Rules rules = overlaid(R"({"families": {"mcp": {
        "programs": [{"interpreters": ["node"], "scripts": ["server.mjs"], "required": ["--stdio"]}],
        "roles": [{"name": "server", "flags": ["--x"], "outlives_host": true}], "home": [{"path": "/srv"}]}}})");
    const FamilyRule& mcp = family(rules, "mcp");
    CHECK(mcp.enabled);
    CHECK(mcp.grace == std::chrono::seconds(10));
    CHECK(mcp.start_up == std::chrono::seconds(180));
    CHECK(mcp.grace_cap == std::chrono::minutes(10));
    REQUIRE(mcp.programs.size() == 1);
    CHECK(mcp.programs[0].required == Words{"--stdio"});
    REQUIRE(mcp.roles.size() == 1);
    CHECK(mcp.roles[0] == Role{"server", {"--x"}, true});
    CHECK(mcp.home == std::vector<HomeSource>{{HomeSource::From::fixed, "/srv"}});
}

TEST_CASE("every key of a program") {
    const Rules rules = overlaid(R"({"families": {"bridge": {"programs": [
        {"interpreters": ["node"], "options_with_value": ["-r"], "options_without_value": ["-q", "--no-*"],
         "options_without_script": ["-e"], "scripts": ["mcp-*.mjs"], "launchers": ["tsx"], "modules": ["m"]},
        {"executables": ["agentd"], "commands": ["serve"], "command_options_with_value": ["-p"],
         "required": ["--x=y"], "forbidden": ["--z"]}]}}})");
    Program first;
    first.interpreters = {"node"};
    first.options.with_value = {"-r"};
    first.options.without_value = {"-q", "--no-*"};
    first.options.without_script = {"-e"};
    first.scripts = {"mcp-*.mjs"};
    first.launchers = {"tsx"};
    first.modules = {"m"};
    Program second;
    second.executables = {"agentd"};
    second.commands = {"serve"};
    second.command_options_with_value = {"-p"};
    second.required = {"--x=y"};
    second.forbidden = {"--z"};
    CHECK(family(rules, "bridge").programs == std::vector<Program>{first, second});
    const Words names = executables_of(rules);
    CHECK(Words(names.begin(), names.begin() + 5) ==
          Words{"python", "bash", "hermes-setup", "node", "agentd"});
}

TEST_CASE("marks, owners, proofs and listening") {
    const Rules rules = overlaid(R"({"families": {"bridge": {
        "programs": [{"executables": ["x"], "marked_variables": ["MARK", "SPAWN=v1:*"]}],
        "listens": true, "needs_owner": true, "keeps_runner": true, "single_instance": false,
        "owners": [{"option": "--owner", "time_option": "--since"}, {"variable": "OWNER"}, {"spawn_purpose": "mcp"}],
        "proofs": [["owner.dead"], ["stdin.dead", "stdout.dead", "owner.dead"]]}}})");
    const FamilyRule& bridge = family(rules, "bridge");
    CHECK(bridge.programs.front().marked_variables == Words{"MARK", "SPAWN=v1:*"});
    CHECK(bridge.listens);
    CHECK(bridge.needs_owner);
    CHECK(bridge.keeps_runner);
    CHECK_FALSE(bridge.single_instance);
    CHECK(bridge.owners ==
          std::vector<OwnerSource>{{OwnerSource::From::option, "--owner", "--since"},
                                   {OwnerSource::From::environment, "OWNER", ""},
                                   {OwnerSource::From::spawn_marker, "mcp", ""}});
    CHECK(bridge.proofs ==
          std::vector<Proof>{{"owner.dead"}, {"stdin.dead", "stdout.dead", "owner.dead"}});
    const Words keys = environment_keys_of(rules);
    for (const char* key : {"MARK", "SPAWN", "OWNER"})
        CHECK(std::find(keys.begin(), keys.end(), key) != keys.end());
    for (const char* key : {"--owner", "mcp"})
        CHECK(std::find(keys.begin(), keys.end(), key) == keys.end());
}

TEST_CASE("what is kept, and what is done about leaks") {
    for (const Verdict verdict :
         {Verdict::designated, Verdict::attached, Verdict::supervised, Verdict::foreign}) {
        const std::string word(to_string(verdict));
        const Rules rules =
            overlaid("{\"families\": {\"bridge\": {\"keep_as\": \"" + word + "\"}}}");
        CHECK(family(rules, "bridge").keep_as == verdict);
    }
    const Rules rules = overlaid(R"({"families": {"bridge": {
        "actions": {"orphan": "report", "superseded": "keep", "abandoned": "reap"}}}})");
    auto expected = default_family("x").actions;
    expected[Verdict::orphan] = Action::report;
    expected[Verdict::superseded] = Action::keep;
    expected[Verdict::abandoned] = Action::reap;
    CHECK(family(rules, "bridge").actions == expected);
    const Rules rest =
        overlaid(R"({"families": {"bridge": {"actions": {"duplicate": "reap", "held": "keep"}}}})");
    CHECK(family(rest, "bridge").actions.at(Verdict::duplicate) == Action::reap);
    CHECK(family(rest, "bridge").actions.at(Verdict::held) == Action::keep);
    CHECK(family(rest, "bridge").actions.at(Verdict::orphan) == Action::reap);
}

TEST_CASE("what a family does that says nothing else") {
    const auto actions = default_family("x").actions;
    CHECK(actions.at(Verdict::orphan) == Action::reap);
    CHECK(actions.at(Verdict::superseded) == Action::reap);
    for (const Verdict verdict : {Verdict::abandoned, Verdict::duplicate, Verdict::held}) {
        CHECK(actions.at(verdict) == Action::report);
    }
    CHECK(actions.size() == 5);
}

TEST_CASE("what is listed apart is looked for, and keeps its rules") {
    const auto apart = [](const std::string& text) {
        Rules rules = overlaid(text);
        policy::list_apart(rules);
        Words names;
        for (const FamilyRule& rule : rules.families) {
            if (!rule.apart) continue;
            names.push_back(rule.name);
            CHECK(rule.enabled);
        }
        return std::pair(names, executables_apart(rules));
    };
    const auto [names, programs] = apart("{}");
    CHECK(std::ranges::find(names, "mcp_server") != names.end());
    CHECK(std::ranges::find(names, "bridge") == names.end());
    CHECK(std::ranges::find(programs, "uvx") == programs.end());  // Hermes' own mcp has it, too
    CHECK(std::ranges::find(programs, "chrome-headless-shell") == programs.end());
    for (const char* text :
         {R"({"families": {"mcp_server": {"enabled": false}}})",
          R"({"families": {"mcp_server": {"enabled": true}}})", R"({"packs": ["agents"]})"}) {
        const auto [left, others] = apart(text);
        CHECK(std::ranges::find(left, "mcp_server") == left.end());
    }
    const auto own = apart(R"({"families": {"own": {"enabled": false, "listed": true,
        "programs": [{"executables": ["ownd"], "required": ["--serve"]}], "roles": [{"name": "r", "flags": []}],
        "home": [{"path": "~"}]}}})");
    CHECK(std::ranges::find(own.first, "own") != own.first.end());
    CHECK(std::ranges::find(own.second, "ownd") != own.second.end());
}

TEST_CASE("a pack is switched on whole") {
    const Rules off = overlaid(
        R"({"families": {"bridge": {"enabled": false}, "slash_worker": {"enabled": false, "pack": "p"}}})");
    const auto on = [&](const char* text) {
        const auto rules = overlay_rules(off, text, "more.json");
        REQUIRE(rules.has_value());
        return std::pair(family(*rules, "bridge").enabled, family(*rules, "slash_worker").enabled);
    };
    CHECK(on("{}") == std::pair(false, false));
    CHECK(on(R"({"packs": []})") == std::pair(false, false));
    CHECK(on(R"({"packs": ["hermes"]})") == std::pair(true, false));
    CHECK(on(R"({"packs": ["hermes", "p"]})") == std::pair(true, true));
    // What the same text says of one family counts more than what it says of its pack.
    CHECK(on(R"({"packs": ["hermes"], "families": {"bridge": {"enabled": false}}})") ==
          std::pair(false, false));
    CHECK(on(R"({"packs": ["hermes"], "families": {"bridge": {"grace": "9s"}}})") ==
          std::pair(true, false));
    CHECK(on(R"({"packs": ["q"], "families": {"bridge": {"pack": "q"}}})") ==
          std::pair(true, false));
}

TEST_CASE("mistakes in packs, marks, owners, proofs and actions") {
    CHECK(mistake("{\"packs\": [\"hermess\"]}") ==
          "rules.json:1:12: no such pack (did you mean 'hermes'?)");
    CHECK(mistake("{\"packs\": [\"xyzzy\"]}") == "rules.json:1:12: no such pack");
    CHECK(mistake("{\"packs\": [\"\"]}") ==
          "rules.json:1:12: expected a text that is not empty, found \"\"");
    CHECK(mistake("{\"packs\": \"hermes\"}") ==
          "rules.json:1:2: expected a list, [ ... ], found \"hermes\"");
    CHECK(mistake_in_bridge("\"keep_as\": \"attacked\"") ==
          "rules.json:2:3: expected designated, attached, supervised or foreign (did you mean "
          "'attached'?)");
    for (const char* word :
         {"orphan", "unknown", "young", "zombie", "superseded", "held", "duplicate", "x"}) {
        const std::string said = mistake_in_bridge(std::string("\"keep_as\": \"") + word + "\"");
        CHECK(said.find("rules.json:2:3: expected designated, attached, supervised or foreign") ==
              0);
    }
    CHECK(mistake_in_bridge("\"keep_as\": 1") ==
          "rules.json:2:3: expected a text that is not empty, found 1");
    CHECK(mistake_in_bridge("\"listens\": 1") == "rules.json:2:3: expected true or false, found 1");
    CHECK(mistake_in_bridge("\"needs_owner\": 1") ==
          "rules.json:2:3: expected true or false, found 1");
    CHECK(mistake_in_bridge("\"single_instance\": 1") ==
          "rules.json:2:3: expected true or false, found 1");
    const std::string one_of = "rules.json:2:14: expected one of option, variable, spawn_purpose";
    CHECK(mistake_in_bridge("\"owners\": [{}]") == one_of);
    CHECK(mistake_in_bridge("\"owners\": [{\"time_option\": \"--t\"}]") == one_of);
    CHECK(mistake_in_bridge("\"owners\": [{\"option\": \"--a\", \"variable\": \"B\"}]") == one_of);
    CHECK(mistake_in_bridge("\"parent_option\": \"--p\"")
              .find("\"parent_option\" is not known here") != std::string::npos);
    CHECK(mistake_in_bridge("\"actions\": {\"orphan\": \"reep\"}") ==
          "rules.json:2:15: expected reap, report or keep (did you mean 'reap'?)");
    CHECK(mistake_in_bridge("\"actions\": {\"attached\": \"reap\"}")
              .find("\"attached\" is not known here") != std::string::npos);
}

TEST_CASE("a proof is never weaker than a dead owner, or two dead ends") {
    const auto proofs = [](const char* text) {
        return mistake_in_bridge(std::string("\"proofs\": ") + text);
    };
    const std::string weak =
        "rules.json:2:14: a proof needs owner.dead, or stdin.dead and stdout.dead";
    CHECK(proofs("[[\"owner.dead\"]]") == "none");
    CHECK(proofs("[[\"stdout.dead\", \"stdin.dead\"]]") == "none");
    CHECK(proofs("[[]]") == weak);
    CHECK(proofs("[[\"stdin.dead\"]]") == weak);
    CHECK(proofs("[[\"stdout.dead\"]]") == weak);
    CHECK(proofs("[[\"owner.dead\"], [\"stdin.dead\"]]") ==
          "rules.json:2:30: a proof needs owner.dead, or stdin.dead and stdout.dead");
    CHECK(
        proofs("[[\"owner.dead\", \"stdin.dea\"]]") ==
        "rules.json:2:14: \"stdin.dea\" is no evidence of an orphan (did you mean 'stdin.dead'?)");
    CHECK(proofs("[[\"owner.dead\", \"parent.adopter\"]]").find("is no evidence of an orphan") !=
          std::string::npos);
    CHECK(proofs("[]").find("without a proof nothing is ever an orphan") != std::string::npos);
}

TEST_CASE("protect rules are added, one after the other") {
    const Rules rules = overlaid(
        R"({"protect": [{"exe": "/usr/bin/node"}, {"arguments": ["--x"], "home": "/srv/"}]})");
    REQUIRE(rules.protect.size() == 2);
    CHECK(rules.protect[0] == ProtectRule{"rules.json", "/usr/bin/node", {}, ""});
    CHECK(rules.protect[1] == ProtectRule{"rules.json", "", {"--x"}, "/srv"});
    const auto more = overlay_rules(rules, R"({"protect": [{"home": "/"}]})", "more.json");
    REQUIRE(more.has_value());
    REQUIRE(more->protect.size() == 3);
    CHECK(more->protect[2].origin == "more.json");
    CHECK(more->protect[2].home == "/");
}

TEST_CASE("a word that is not known is told with its place, and the nearest one that is") {
    CHECK(mistake("{\n  \"famlies\": {}}") ==
          "rules.json:2:3: \"famlies\" is not known here (did you mean 'families'?)");
    CHECK(mistake_in_bridge("\"gracee\": \"1s\"") ==
          "rules.json:2:3: \"gracee\" is not known here (did you mean 'grace'?)");
    CHECK(mistake_in_bridge("\"xyzzy\": 1") == "rules.json:2:3: \"xyzzy\" is not known here");
    CHECK(mistake_in_bridge("\"programs\": [{\"interpreter\": []}]") ==
          "rules.json:2:17: \"interpreter\" is not known here (did you mean 'interpreters'?)");
    CHECK(mistake("{\"protect\": [{\"exe\": \"/x\"},\n {\"hom\": \"/x\"}]}") ==
          "rules.json:2:3: \"hom\" is not known here (did you mean 'home'?)");
    CHECK(mistake_in_bridge("\"a/b~\\u0001\": 1").find("rules.json:2:3: \"a/b~") == 0);
}

TEST_CASE("a value of the wrong type is told with what was expected") {
    CHECK(mistake("[]") == "rules.json:1:1: expected an object, { ... }, found []");
    CHECK(mistake("null") == "rules.json:1:1: expected an object, { ... }, found null");
    CHECK(mistake_in_bridge("\"enabled\": \"yes\"") ==
          "rules.json:2:3: expected true or false, found \"yes\"");
    CHECK(mistake_in_bridge("\"enabled\": 1") == "rules.json:2:3: expected true or false, found 1");
    CHECK(mistake_in_bridge("\"grace\": 30") ==
          "rules.json:2:3: expected a duration such as \"30s\", found 30");
    CHECK(mistake_in_bridge("\"grace\": \"30\"")
              .find("rules.json:2:3: 30: a duration needs a unit") == 0);
    CHECK(mistake_in_bridge("\"roles\": {}") ==
          "rules.json:2:3: expected a list, [ ... ], found {}");
    CHECK(mistake_in_bridge("\"pack\": \"\"") ==
          "rules.json:2:3: expected a text that is not empty, found \"\"");
    CHECK(mistake("{\"families\": []}") == "rules.json:1:2: expected an object, { ... }, found []");
    CHECK(mistake("{\"families\": {\"bridge\": 7}}") ==
          "rules.json:1:15: expected an object, { ... }, found 7");
    CHECK(mistake("{\"protect\": {}}") == "rules.json:1:2: expected a list, [ ... ], found {}");
}

TEST_CASE("a mistake inside of a list stands where its element begins") {
    CHECK(mistake_in_bridge("\"same_options\": [\"--ok\",\n   7]") ==
          "rules.json:3:4: expected a text that is not empty, found 7");
    CHECK(mistake_in_bridge("\"same_options\": [\"--ok\",\n   true, 7]") ==
          "rules.json:3:4: expected a text that is not empty, found true");
    CHECK(mistake_in_bridge("\"same_options\": [\"--ok\",\n   [1]]") ==
          "rules.json:3:4: expected a text that is not empty, found [1]");
    CHECK(mistake_in_bridge("\"same_options\": [\"--ok\",\n   \"\"]") ==
          "rules.json:3:4: expected a text that is not empty, found \"\"");
    CHECK(mistake_in_bridge("\"daemon\": {\"ports\": [18800,\n   \"x\\\"y\"]}") ==
          "rules.json:3:4: expected a port from 1 to 65535, found \"x\\\"y\"");
}

TEST_CASE("ports are numbers from 1 to 65535") {
    for (const char* port : {"0", "65536", "-1", "0.9", "1.5", "65535.5", "1e99", "true", "\"1\"",
                             "99999999999999999999", "null"}) {
        const std::string said =
            mistake_in_bridge(std::string("\"daemon\": {\"ports\": [") + port + "]}");
        INFO(said);
        CHECK(said.find("expected a port from 1 to 65535") != std::string::npos);
    }
    CHECK(mistake_in_bridge("\"daemon\": {\"ports\": [1.0, 65535, 6.5e4]}") == "none");
}

TEST_CASE("rules that cannot mean anything") {
    const auto says = [](const std::string& said, const std::string& what) {
        INFO(said);
        return said.find(what) != std::string::npos;
    };
    CHECK(says(mistake_in_bridge("\"grace_cap\": \"1s\""), "grace_cap is shorter than grace"));
    CHECK(says(mistake_in_bridge("\"home\": []"), "needs a home"));
    CHECK(says(mistake_in_bridge("\"roles\": []"), "needs roles"));
    CHECK(says(mistake_in_bridge("\"roles\": [{}]"), "a role needs a name"));
    const auto program = [](const std::string& members) {
        return mistake_in_bridge("\"programs\": [{" + members + "}]");
    };
    CHECK(says(program("\"interpreters\": []"), "a program needs interpreters, or executables"));
    CHECK(says(program("\"scripts\": [\"a.mjs\"]"),
               "a program with scripts, packages or modules needs interpreters"));
    CHECK(says(program("\"packages\": [\"a\"]"),
               "a program with scripts, packages or modules needs interpreters"));
    CHECK(says(program("\"modules\": [\"a\"]"),
               "a program with scripts, packages or modules needs interpreters"));
    CHECK(says(program("\"executables\": [\"a\"]"), "a name alone proves nothing"));
    CHECK(says(
        program("\"executables\": [\"a\"], \"interpreters\": [\"node\"], \"scripts\": [\"a.mjs\"]"),
        "a name alone proves nothing"));
    CHECK(says(program("\"executables\": [\"a\"], \"forbidden\": [\"--x\"]"),
               "a name alone proves nothing"));
    CHECK(says(program("\"executables\": [\"a\", \"*\"], \"required\": [\"--x\"]"),
               "only marked_variables can tell"));
    CHECK(program("\"executables\": [\"*\"], \"marked_variables\": [\"X\"]") == "none");
    CHECK(program("\"executables\": [\"a\"], \"commands\": [\"serve\"]") == "none");
    CHECK(program("\"executables\": [\"a\"], \"titles\": [\"a\"]") == "none");
    CHECK(program("\"executables\": [\"a/versions/*\", \"b/c\"]") == "none");
    for (const char* name : {"/a", "*/a", "./a", "../*/a", "a/"})
        CHECK(says(program(std::string("\"executables\": [\"b/c\", \"") + name + "\"]"),
                   "a name alone proves nothing"));
    CHECK(program("\"executables\": [\"a\"], \"required\": [\"--stdio\"]") == "none");
    CHECK(says(mistake_in_bridge("\"hosts\": [{\"interpreters\": [\"node\"]}]"),
               "needs scripts, packages or modules"));
    CHECK(says(mistake_in_bridge("\"programs\": []"), "a new family needs programs"));
    CHECK(says(mistake_in_bridge("\"home\": [{}]"), "expected one of option, variable"));
    CHECK(says(mistake_in_bridge("\"home\": [{\"option\": \"--a\", \"path\": \"/b\"}]"),
               "expected one of option"));
    CHECK(says(mistake_in_bridge("\"home\": [{\"path\": \"data\"}]"), "begins with / or ~/"));
    CHECK(says(mistake_in_bridge("\"home\": [{\"path\": \"~user\"}]"), "begins with / or ~/"));
    CHECK(says(mistake("{\"families\": {\"new\": {}}}"), "a new family needs programs"));
    CHECK(says(mistake("{\"families\": {\"brigde\": {\"enabled\": false}}}"),
               "a new family needs programs (did you mean 'bridge'?)"));
    CHECK(says(mistake("{\"families\": {\"\": {}}}"), "a family needs a name"));
    CHECK(says(mistake("{\"protect\": [{}]}"), "expected at least one of exe, arguments, home"));
    CHECK(
        says(mistake("{\"protect\": [{\"home\": \"~/.hermes\"}]}"), "home: expected a full path"));
    CHECK(says(mistake("{\"protect\": [{\"exe\": \"node\"}]}"), "exe: expected a full path"));
}

TEST_CASE("a key that stands twice is a mistake") {
    CHECK(mistake("{\"protect\": [],\n \"protect\": []}") ==
          "rules.json:2:2: \"protect\" stands here twice");
    CHECK(
        mistake_in_bridge("\"grace\": \"1s\", \"gra\\u0063e\": \"2s\"").find("stands here twice") !=
        std::string::npos);
    CHECK(mistake("{\"protect\": [{\"exe\": \"/a\"}, {\"exe\": \"/a\"}]}") == "none");
}

TEST_CASE("what is no JSON") {
    for (const char* text :
         {"", " ", "{", "{\"families\": }", "{} x", "{\"a\": 1,}", "'x'", "{\"a\" 1}", "/* open",
          "\xff", "{\"protect\": [{\"exe\": \"/\xff\xfe\"}]}", "{\"a\": \"\n\"}", "NaN",
          "{\"a\": 01}"}) {
        const std::string said = mistake(text);
        INFO(text << " -> " << said);
        CHECK(said.find("rules.json:") == 0);
        CHECK(said.find("this is no JSON") != std::string::npos);
        CHECK(std::all_of(said.begin(), said.end(),
                          [](char letter) { return letter >= ' ' && letter < 127; }));
    }
    CHECK(mistake("{\n  \"families\": x}").find("rules.json:2:15: ") == 0);
    CHECK(mistake(std::string_view("{}\0{", 4)) == "rules.json:1:3: this is no JSON: a NUL byte");
}

TEST_CASE("columns are counted in letters, as editors count them") {
    CHECK(mistake("\xEF\xBB\xBF{\"familys\": {}}").find("rules.json:1:2: ") == 0);
    CHECK(mistake("/* \xC3\xA9 */ {\"familys\": {}}").find("rules.json:1:10: ") == 0);
    CHECK(mistake("{\n/* \xC3\xA9 */ \"familys\": {}}").find("rules.json:2:9: ") == 0);
}

TEST_CASE("what is too much") {
    std::string deep(10'000, '[');
    CHECK(mistake(deep) == "rules.json:1:64: nested too deeply");
    deep.clear();
    for (int level = 0; level < 5000; ++level) deep += "{\"a\":";
    CHECK(mistake(deep) == "rules.json:1:316: nested too deeply");
    const std::string big(2'000'000, 'x');
    CHECK(mistake("{\"" + big + "\": 1}").size() < 200);
    CHECK(mistake_in_bridge("\"enabled\": \"" + big + "\"").size() < 200);
    std::string many = "{\"protect\": [{\"arguments\": [";
    for (int at = 0; at < 20'000; ++at) many += "\"a\",";
    many += "\"a\"]}]}";
    CHECK(overlaid(many).protect.at(0).arguments.size() == 20'001);
}

}  // namespace reaper::policy
