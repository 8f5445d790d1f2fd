#include "agent/fleet/fleet.hpp"

#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"

namespace reaper::test {

namespace {

using agent::ExitStatus;
using agent::Fleet;
using agent::FleetMachine;
using Json = nlohmann::json;

Json report(const std::string& name, int leaks, int exit_status) {
    Json json = {
        {"schema", "orphan-reaper/report/1"},
        {"version", "0.2.0"},
        {"command", "report"},
        {"host", {{"name", name}, {"boot_id", "b-" + name}}},
        {"started_at", "2026-11-20T09:12:03Z"},
        {"scope", {{"uids", {1000}}}},
        {"scan", {{"complete", true}}},
        {"summary", {{"to_reap", leaks}, {"kept", 2}, {"reclaimable_bytes", leaks * 1048576}}},
        {"exit_status", exit_status}};
    json["processes"] = Json::array();
    for (int at = 0; at < leaks; ++at)
        json["processes"].push_back({{"pid", 100 + at},
                                     {"family", "bridge"},
                                     {"role", "bridge"},
                                     {"user", "alice"},
                                     {"home", "/home/alice/.hermes"},
                                     {"verdict", "orphan"},
                                     {"action", "reap"},
                                     {"age_s", 60},
                                     {"rss_bytes", 1048576}});
    json["processes"].push_back({{"pid", 7}, {"action", "keep"}});
    return json;
}

FleetMachine read(const Json& json, const std::string& file = "f.json") {
    return agent::read_report(file, json.dump());
}

std::string text_of(const Fleet& fleet, agent::RenderOptions options = {}) {
    return agent::render_fleet(fleet, options);
}

}  // namespace

TEST_CASE("a report is read") {
    const FleetMachine machine = read(report("one", 2, 1));
    CHECK(machine.trouble.empty());
    CHECK(machine.name == "one");
    CHECK(machine.complete);
    CHECK(machine.to_reap == 2);
    REQUIRE(machine.leaks.size() == 2);
    CHECK(machine.leaks[1].pid == 101);
    CHECK(machine.leaks[1].kind == "bridge/bridge");
    CHECK_FALSE(machine.ready);
}

TEST_CASE("what is no report of a machine is trouble, whatever it is") {
    const auto trouble = [](const Result<std::string>& text) {
        return agent::read_report("f", text).trouble;
    };
    CHECK(trouble(failure(std::errc::no_such_file_or_directory, "read", "f")).find("read f") !=
          std::string::npos);
    CHECK(trouble(std::string()).starts_with("it is empty"));
    CHECK(trouble(std::string("ssh: no route")).starts_with("it is no JSON"));
    CHECK(trouble(std::string(100'000, '[')) == "it is nested too deeply");
    for (const char* text : {"[]", "3", "null", "{}", R"({"schema":"orphan-reaper/doctor/1"})"})
        CHECK(trouble(std::string(text)).starts_with("it is not the report of a machine"));
    Json cut = report("one", 1, 1);
    cut.erase("summary");
    CHECK(trouble(cut.dump()) == "it ends in the middle");
}

TEST_CASE("what a machine cannot have is cut off") {
    Json json = report("one", 1, 1);
    json["summary"]["failed"] = json["summary"]["reported"] = ~std::uint64_t{0};
    json["summary"]["reclaimable_bytes"] = ~std::uint64_t{0};
    CHECK(read(json).failed == 999'999'999);
    CHECK(read(json).reclaimable_bytes == 1UL << 50U);
    json["exit_status"] = std::uint64_t{1} << 32U;
    CHECK(agent::merge({read(json)}).exit_status == ExitStatus::incomplete);
    json["command"] = "explain";
    CHECK(read(json).trouble == "it is no report, sweep or preflight");
}

TEST_CASE("of two reports of the same second the one with more leaks counts") {
    const FleetMachine one = read(report("one", 3, 1));
    for (const Fleet& fleet :
         {agent::merge({one, read(report("one", 0, 0))}),
          agent::merge({read(report("one", 0, 0)), one}), agent::merge({one, one})}) {
        REQUIRE(fleet.machines.size() == 1);
        CHECK(fleet.machines.front().to_reap == 3);
    }
}

TEST_CASE("fields of the wrong kind are left out") {
    Json json = report("one", 1, 1);
    json["processes"] = {3, "x", nullptr, {{"pid", "x"}, {"rss_bytes", -1}}};
    json["host"] = 3;
    json["remarks"] = {1, "two"};
    json["summary"]["to_reap"] = "many";
    const FleetMachine machine = read(json);
    CHECK(machine.trouble.empty());
    CHECK(agent::name_of(machine) == "f.json");
    CHECK(machine.remarks == std::vector<std::string>{"two"});
    CHECK(machine.to_reap == 0);
}

TEST_CASE("the worst machine comes first, and its exit status is that of all") {
    const auto status = [](std::vector<FleetMachine> machines) {
        return agent::merge(std::move(machines)).exit_status;
    };
    const FleetMachine good = read(report("a", 0, 0));
    const FleetMachine leaks = read(report("b", 1, 1));
    const FleetMachine blocked = read(report("c", 0, 6));
    const FleetMachine failed = read(report("d", 1, 5));
    const FleetMachine blind = read(report("e", 0, 4));
    const FleetMachine lost = agent::read_report("f", std::string());
    CHECK(status({good}) == ExitStatus::clean);
    CHECK(status({good, leaks}) == ExitStatus::leaks_left);
    CHECK(status({leaks, blocked}) == ExitStatus::blocked);
    CHECK(status({blocked, failed, leaks}) == ExitStatus::not_ended);
    CHECK(status({failed, blind}) == ExitStatus::incomplete);
    CHECK(status({good, lost}) == ExitStatus::incomplete);
    CHECK(status({read(report("x", 0, 130))}) == ExitStatus::incomplete);
    CHECK(status({read(report("x", 0, 77))}) == ExitStatus::incomplete);
    const Fleet fleet = agent::merge({good, leaks, blocked, failed, blind, lost});
    std::string order;
    for (const FleetMachine& machine : fleet.machines) order += agent::name_of(machine);
    CHECK(order == "fedcba");
}

TEST_CASE("the newer of two reports of the same counts") {
    Json newer = report("one", 1, 1);
    newer["started_at"] = "2026-11-20T10:00:00Z";
    const FleetMachine old = read(report("one", 3, 1), "old.json");
    for (const bool first : {true, false}) {
        const FleetMachine later = read(newer, "new.json");
        const Fleet fleet = first ? agent::merge({old, later}) : agent::merge({later, old});
        REQUIRE(fleet.machines.size() == 1);
        CHECK(fleet.machines.front().file == "new.json");
        CHECK(fleet.remarks ==
              std::vector<std::string>{"old.json is left out: new.json is no older report of one"});
    }
    for (const auto& [key, value] :
         {std::pair("command", Json("sweep")), std::pair("scope", Json{{"uids", {1001}}}),
          std::pair("scope", Json{{"uids", {1000}}, {"families", {"kernel"}}}),
          std::pair("host", Json{{"name", "one"}, {"boot_id", "other"}}),
          std::pair("host", Json{{"name", "one"}, {"boot_id", "b-one"}, {"pid_namespace", 2}})}) {
        newer[key] = value;
        const Fleet both = agent::merge({old, read(newer, "reports/new.json")});
        REQUIRE(both.machines.size() == 2);
        CHECK(both.machines[0].name == "one (new.json)");
        CHECK(both.machines[1].name == "one (old.json)");
        newer[key] = report("one", 1, 1)[key];
    }
}

TEST_CASE("the headline adds up") {
    Json swept = report("two", 3, 5);
    swept["summary"]["reaped"] = 2;
    swept["summary"]["failed"] = 1;
    swept["summary"]["reclaimed_bytes"] = 2 * 1048576;
    Json blocked = report("three", 0, 6);
    blocked["ready"] = false;
    const Fleet fleet = agent::merge({read(report("one", 2, 1)), read(swept), read(blocked),
                                      agent::read_report("four", std::string())});
    CHECK(agent::headline(fleet) ==
          "4 machines: 3 leaked helpers on 2 of them, 3 MB would come back; 2 ended, 2 MB came "
          "back; 1 did not end; 1 not ready; 1 not read");
    CHECK(agent::headline(agent::merge({read(report("one", 0, 0))})) ==
          "1 machine: nothing leaked is left");
    CHECK(agent::headline(agent::merge({read(report("one", 1, 1))})) ==
          "1 machine: 1 leaked helper, 1 MB would come back");
}

TEST_CASE("what a machine says of itself drives no terminal") {
    Json json = report("one", 1, 4);
    const std::string evil = "\x1b]0;x\x07\n\xff";
    for (const char* key : {"command", "started_at", "version"}) json[key] = "\x1b[31m";
    json["host"]["name"] = "\x1b[2J";
    json["scan"]["complete"] = false;
    json["remarks"] = {"\x1b[1m"};
    json["obstacles"] = {{{"detail", "\x1b[7m"}}};
    for (const char* key : {"family", "role", "user", "home", "verdict"})
        json["processes"][0][key] = "\x1b[5m";
    const Fleet fleet = agent::merge({read(json, evil), agent::read_report(evil, std::string())});
    for (const bool verbose : {true, false}) {
        for (const std::size_t width : {20U, 200U}) {
            agent::RenderOptions options;
            options.verbose = verbose;
            options.width = width;
            for (const char letter : text_of(fleet, options))
                CHECK((letter == '\n' || (letter >= ' ' && letter <= '~')));
        }
    }
    for (const std::string& text :
         {agent::render_fleet_json(fleet), agent::render_fleet_html(fleet)}) {
        for (const char letter : text) CHECK((letter == '\n' || (letter >= ' ' && letter <= '~')));
    }
}

TEST_CASE("a page of many machines shows their words as words") {
    Json json = report("<script>", 1, 1);
    json["processes"][0]["home"] = "/<b>'\"&";
    json["obstacles"] = {{{"detail", "</li><img>"}}};
    const std::string page = agent::render_fleet_html(agent::merge({read(json, "<a>")}));
    for (const char* tag : {"<script>", "<img>", "</li><img", "<a>", "<b>'"})
        CHECK(page.find(tag) == std::string::npos);
    CHECK(page.find("&lt;script&gt;") != std::string::npos);
    std::vector<FleetMachine> many(3000, read(report("one", 100, 1)));
    for (std::size_t at = 0; at < many.size(); ++at) many[at].system = fmt::format("{}", at);
    CHECK(agent::render_fleet_html(agent::merge(std::move(many))).size() < 2'000'000);
}

TEST_CASE("quiet says the first line, and nothing when all is well") {
    agent::RenderOptions quiet;
    quiet.quiet = true;
    CHECK(text_of(agent::merge({read(report("one", 0, 0))}), quiet).empty());
    CHECK(text_of(agent::merge({read(report("one", 1, 1))}), quiet).starts_with("1 machine: 1 "));
}

}  // namespace reaper::test
