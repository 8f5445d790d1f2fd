// What `rules` prints: what would be ended first, and which file says so.
#include "agent/report/rules_view.hpp"

#include <algorithm>

#include "tests/support/catch.hpp"
#include "tests/unit/agent/report/sample_report.hpp"

namespace reaper::agent {

namespace {

RulesView view_of(const std::string& text) {
    const auto rules = policy::overlay_rules(policy::built_in_rules(), text, "/etc/r.json");
    REQUIRE(rules);
    RulesView view{"1", *rules, {"/etc/r", "/home/u/r"}, {"/etc/r/1.json"}, {}};
    for (const policy::FamilyRule& rule : view.rules.families)
        view.origins[rule.name].from = rule.origin;
    return view;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// The section in which a family stands.
std::string section_of(const std::string& text, const std::string& family) {
    const std::size_t place = text.find("\n  " + family + " ");
    REQUIRE(place != std::string::npos);
    const std::size_t title = text.rfind("\n\n", place) + 2;
    return text.substr(title, text.find('\n', title) - title);
}

bool is_printable(const std::string& text) {
    return std::ranges::all_of(
        text, [](char letter) { return letter == '\n' || (letter >= ' ' && letter < 127); });
}

}  // namespace

TEST_CASE("Families stand under what would happen to their leaks") {
    RulesView view = view_of(R"({"families": {
        "bridge": {"actions": {"abandoned": "keep"}},
        "slash_worker": {"actions": {"orphan": "report", "superseded": "report"}},
        "gateway": {"keep_as": "supervised"}, "tui": {"enabled": false}},
        "protect": [{"home": "/srv/a b", "arguments": ["--x", "y"]}]})");
    view.origins["bridge"].settings["actions.abandoned"] = "/etc/r/1.json";
    const std::string text = render_rules_text(view, {});
    INFO(text);
    CHECK(section_of(text, "bridge") == "ENDED WHEN LEAKED");
    CHECK(section_of(text, "slash_worker") == "ONLY REPORTED");
    CHECK(section_of(text, "gateway") == "RECOGNISED, NEVER ENDED");
    CHECK(section_of(text, "tui") == "OFF");
    CHECK(section_of(text, "protect") == "PROTECTED, ALWAYS");
    CHECK(contains(text, "ends orphan, superseded; reports duplicate, held; keeps abandoned"));
    CHECK(contains(text, "reports every leak"));
    CHECK(contains(text, "actions.abandoned from /etc/r/1.json"));
    CHECK(contains(text, "kept as supervised"));
    CHECK(contains(text, "switched on by --family hermes"));
    CHECK(contains(text, "arguments --x y; home /srv/a b; from /etc/r.json"));
    CHECK(contains(text, "\n  built-in\n  /etc/r/1.json\n  (no rule file in /home/u/r)\n"));
    CHECK(render_rules_text(view, {.quiet = true}).empty());
}

TEST_CASE("The JSON is a rule file that says the same") {
    const RulesView view =
        view_of(R"({"families": {"bridge": {"grace": "61s"}}, "protect": [{"exe": "/a"}]})");
    const auto json = nlohmann::ordered_json::parse(render_rules_json(view));
    const nlohmann::ordered_json file = {{"families", json["families"]},
                                         {"protect", json["protect"]}};
    auto again = policy::overlay_rules(policy::Rules{}, file.dump(), "again");
    REQUIRE(again);
    for (policy::FamilyRule& rule : again->families)
        rule.origin = json["origins"]["families"][rule.name]["from"];
    again->protect.at(0).origin = json["origins"]["protect"][0];
    CHECK(*again == view.rules);
}

TEST_CASE("One line a family, for scripts") {
    const std::string text = render_rules_jsonl(view_of("{}"));
    const std::string first = text.substr(0, text.find('\n'));
    CHECK(first.starts_with(
        R"({"family":"gateway","pack":"hermes",)"));  // the completions look for this
    CHECK(nlohmann::json::parse(first)["keep_as"] == "designated");
    const auto lines = std::count(text.begin(), text.end(), '\n');
    CHECK(static_cast<std::size_t>(lines) == policy::built_in_rules().families.size());
}

TEST_CASE("A check tells what changes, and what matches") {
    Report report = test::report_of("report", {test::orphan(4711), test::daemon(12)});
    report.remarks = {"half of it could not be read"};
    const RulesCheck check{"site.json",
                           false,
                           {{"bridge", "grace", "\"30s\"", "\"1m\""},
                            {"mine", "", "", ""},
                            {"", "protect", "", "{}"},
                            {"bridge", "keep_as", "", "\"attached\""}},
                           report};
    const std::string text = render_check_text(check, {});
    INFO(text);
    CHECK(text.starts_with("site.json is a good rule file\n"));
    CHECK(contains(text, R"(grace: "1m", was "30s")"));
    CHECK(contains(text, R"(keep_as: "attached", was none)"));
    CHECK(contains(text, "a new family"));
    CHECK(contains(text, "2 processes match:\n"));
    CHECK(contains(text, "  4711 bridge/headless\n"));
    CHECK(contains(text, "orphan, reap: parent is"));
    CHECK(contains(text, "designated, keep: "));
    CHECK(contains(text, "! half of it could not be read\n"));
    CHECK(render_check_text(check, {.quiet = true}).empty());
    const auto json = nlohmann::json::parse(render_check_json(check));
    CHECK(json["changes"][0] ==
          nlohmann::json::parse(
              R"({"family": "bridge", "setting": "grace", "was": "30s", "is": "1m"})"));
    CHECK(json["changes"][1]["setting"].is_null());
    CHECK(json["processes"][0]["pid"] == 4711);
    CHECK(json["processes"][0]["verdict"] == "orphan");
    CHECK(json["in_effect"] == false);
    CHECK(contains(render_check_text({"f", true, {}, test::report_of("report", {})}, {}),
                   "f is a good rule file, and in effect already\n\nit changes nothing\n\nwith it, "
                   "no process matches\n"));
    Report blind = test::report_of("report", {});
    blind.count.seen = 0;
    CHECK(render_check_text({"f", false, {}, blind}, {}) ==
          "f is a good rule file\n\nit changes nothing\n");
}

TEST_CASE("Whatever bytes paths and rules have, they are printable") {
    RulesView view = view_of(
        "{\"families\": {\"a\\u001b[2J\": {\"programs\": [{\"executables\": [\"x\"], \"required\": "
        "[\"y\"]}],"
        "\"roles\": [{\"name\": \"\\u001br\", \"keep_as\": \"attached\"}], \"home\": [{\"path\": "
        "\"/\\u001b\"}]}},"
        "\"protect\": [{\"exe\": \"/\\u001b\", \"arguments\": [\"\\n\"]}]}");
    view.files = {"/etc/\xff\x1b"};
    view.folders = {"/\x1b"};
    view.origins["bridge"] = {"\x1b", {{"grace", "\xff"}}};
    Report report = test::hostile();
    const RulesCheck check{"\xff\x1b", false, {{"\x1b", "grace", "\"\x1b\"", "\"1s\""}}, report};
    for (const std::string& text : {render_rules_text(view, {}), render_rules_json(view),
                                    render_rules_jsonl(view), render_check_text(check, {})}) {
        CHECK(is_printable(text));
    }
}

}  // namespace reaper::agent
