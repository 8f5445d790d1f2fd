// What `rules show` prints has to be what the program would read.
#include "policy/rules/json.hpp"

#include "tests/support/catch.hpp"

namespace reaper::policy {

namespace {

// Nothing is left at its default.
constexpr const char* kFull = R"({"families": {"full": {
    "enabled": false, "listed": true, "pack": "p", "keep_as": "supervised",
    "programs": [
        {"interpreters": ["ruby"], "options_with_value": ["-r"], "options_without_value": ["-q", "--no-*"],
         "options_without_script": ["-e"], "scripts": ["a-*.rb"], "packages": ["@c/*"], "launchers": ["tsx"], "modules": ["m"]},
        {"executables": ["agentd"], "titles": ["npm exec"], "called": ["agent"], "commands": ["serve"], "command_options_with_value": ["-p"],
         "required": ["--x=y"], "forbidden": ["--z"], "marked_variables": ["MARK=1"]},
        {"interpreters": ["node"], "scripts": ["b.mjs"]}],
    "inside": {"folders": ["f"], "package": "@a/b"},
    "roles": [{"name": "daemon", "flags": ["--d"], "outlives_host": true, "keep_as": "attached"},
              {"name": "rest", "flags": []}],
    "home": [{"option": "--home", "above": "/a/b"}, {"variable": "A"}, {"parent_of_variable": "B"}, {"profile_option": "-p"},
             {"path": "~/c"}],
    "hosts": [{"interpreters": ["python"], "modules": ["host"]}],
    "owners": [{"option": "--o", "time_option": "--t"}, {"variable": "O"}, {"spawn_purpose": "mcp"}],
    "needs_owner": true, "keeps_runner": true, "proofs": [["owner.dead"]], "listens": true, "at_update": "restarted",
    "actions": {"orphan": "report", "superseded": "keep", "abandoned": "reap", "duplicate": "keep", "held": "reap"},
    "single_instance": true, "several_with": ["MODE=many"], "same_options": ["--s"], "daemon": {"roles": ["daemon"], "ports": [1, 65535]},
    "min_age": "1500ms", "grace": "90s", "grace_cap": "2h"}},
  "protect": [{"exe": "/bin/a"}, {"arguments": ["--b", "c d"], "home": "/e"}]})";

Rules laid_over(Rules base, const std::string& text) {
    auto rules = overlay_rules(std::move(base), text, "rules.json");
    INFO((rules ? "" : rules.error().message));
    REQUIRE(rules);
    return *rules;
}

Rules without_origins(Rules rules) {
    for (FamilyRule& rule : rules.families) rule.origin.clear();
    for (ProtectRule& rule : rules.protect) rule.origin.clear();
    return rules;
}

std::string written(const Rules& rules) {
    const nlohmann::ordered_json json = {{"families", families_json(rules)},
                                         {"protect", protect_json(rules)}};
    return json.dump();
}

}  // namespace

TEST_CASE("rules that are written down read the same again, whatever they are laid over") {
    const Rules full = laid_over(built_in_rules(), kFull);
    CHECK(without_origins(laid_over({}, written(full))) == without_origins(full));
    CHECK(without_origins(laid_over(built_in_rules(), written(full))) == without_origins(full));
}

TEST_CASE("the first of two families that describe a process has it, so their order is kept") {
    const auto mine = [](const std::string& name) {
        return "\"" + name + R"(": {"programs": [{"executables": ["x"], "required": ["--y"]}],
            "roles": [{"name": "worker", "flags": []}], "home": [{"path": "~"}]})";
    };
    Rules rules =
        laid_over(built_in_rules(), "{\"families\": {" + mine("z") + ", " + mine("m") + "}}");
    rules = laid_over(rules, "{\"families\": {" + mine("a") + "}}");
    const std::size_t count = built_in_rules().families.size();
    REQUIRE(rules.families.size() == count + 3);
    CHECK(rules.families[count].name == "z");
    CHECK(rules.families[count + 1].name == "m");
    CHECK(rules.families[count + 2].name == "a");
    CHECK(without_origins(laid_over({}, written(rules))) == without_origins(rules));
}

TEST_CASE("every setting of a family is written down") {
    const FamilyRule full = laid_over({}, kFull).families.at(0);
    const auto json = to_json(full);
    // As many as the text above has: a setting that the reader learns belongs there, and into the
    // writer.
    CHECK(json.size() == nlohmann::json::parse(kFull)["families"]["full"].size());
    CHECK(json["programs"][2] ==
          nlohmann::ordered_json::parse(R"({"interpreters": ["node"], "scripts": ["b.mjs"]})"));
    CHECK(json["roles"][0].size() == 4);
    CHECK(json["actions"]["abandoned"] == "reap");
    CHECK(json["min_age"] == "1500ms");
}

TEST_CASE("an emptied list stays empty over rules that have one") {
    const Rules emptied =
        laid_over(built_in_rules(), R"({"families": {"bridge": {"same_options": [], "hosts": [],
        "daemon": {"roles": [], "ports": []}, "inside": {"folders": []}}}})");
    CHECK(without_origins(laid_over(built_in_rules(), written(emptied))) ==
          without_origins(emptied));
}

TEST_CASE("what one file changes is told setting by setting") {
    const Rules before = built_in_rules();
    CHECK(rule_changes(before, before).empty());
    CHECK(rule_changes(before, laid_over(before, "{}")).empty());
    CHECK(rule_changes(before, laid_over(before, R"({"families": {"bridge": {"grace": "30s"}}})"))
              .empty());
    const Rules after = laid_over(before, R"({
        "families": {"bridge": {"grace": "60s", "actions": {"abandoned": "reap"}, "daemon": {"ports": [1]}},
                     "slash_worker": {"enabled": false, "keep_as": "attached"},
                     "mine": {"programs": [{"executables": ["x"], "required": ["--y"]}],
                              "roles": [{"name": "worker", "flags": []}], "home": [{"path": "~"}]}},
        "protect": [{"home": "/srv"}]})");
    CHECK(rule_changes(before, after) ==
          std::vector<RuleChange>{{"bridge", "actions.abandoned", "\"report\"", "\"reap\""},
                                  {"bridge", "daemon.ports", "[18800]", "[1]"},
                                  {"bridge", "grace", "\"30s\"", "\"1m\""},
                                  {"slash_worker", "enabled", "true", "false"},
                                  {"slash_worker", "keep_as", "", "\"attached\""},
                                  {"mine", "", "", ""},
                                  {"", "protect", "", R"({"home":"/srv"})"}});
}

}  // namespace reaper::policy
