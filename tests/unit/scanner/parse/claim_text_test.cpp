#include "scanner/parse/claim_text.hpp"

#include <string>

#include "tests/support/catch.hpp"

using namespace reaper::scanner;

TEST_CASE("a bare pid") {
    CHECK(parse_bare_pid("77").value() == 77);
    CHECK(parse_bare_pid(" 77\n").value() == 77);
    CHECK(parse_bare_pid("2147483647").value() == 2147483647);
    for (const char* text : {"", "\n", "0", "-1", "2147483648", "4294967297",
                             "99999999999999999999", "7 8", "7x", "0x7", "+7", "7.0"}) {
        INFO(text);
        const auto pid = parse_bare_pid(text);
        REQUIRE_FALSE(pid);
        CHECK(pid.error().code == std::errc::invalid_argument);
    }
    CHECK_FALSE(parse_bare_pid(std::string_view("7\0", 2)));
}

TEST_CASE("a gateway's record, new and old") {
    CHECK(
        parse_gateway_record(R"({"pid":9,"kind":"hermes-gateway","argv":["x"],"start_time":4711})")
            .value() == GatewayRecord{9, 4711});
    CHECK(parse_gateway_record(R"({"pid":9,"start_time":null})").value() ==
          GatewayRecord{9, std::nullopt});
    CHECK(parse_gateway_record(R"({"pid":9})").value() == GatewayRecord{9, std::nullopt});
    CHECK(parse_gateway_record("9\n").value() == GatewayRecord{9, std::nullopt});
    for (const char* text :
         {"", "{", "[]", "null", "\"9\"", R"({"pid":"9"})", R"({"pid":true})", R"({"pid":9.0})",
          R"({"pid":0})", R"({"pid":-9})", R"({"pid":18446744073709551615})", R"({"pid":1e400})",
          R"({"pid":9,"start_time":-1})", R"({"pid":9,"start_time":"now"})",
          R"({"pid":9,"start_time":1.5})", R"({"start_time":1})", "{\"pid\":9}\xff"}) {
        INFO(text);
        CHECK_FALSE(parse_gateway_record(text));
    }
}

TEST_CASE("the start of a gateway, in ticks or in hundredths of a second") {
    const auto in_ticks =
        parse_gateway_record(R"({"pid":9,"start_time":99999999999,"hermes_home":"/h"})").value();
    CHECK(in_ticks.start_ticks == 99'999'999'999U);
    CHECK_FALSE(in_ticks.start_epoch);
    CHECK(in_ticks.home == "/h");
    const auto in_hundredths =
        parse_gateway_record(R"({"pid":9,"start_time":180000000025,"hermes_home":7})").value();
    CHECK_FALSE(in_hundredths.start_ticks);
    CHECK(in_hundredths.start_epoch == 1'800'000'000.25);
    CHECK(in_hundredths.home.empty());
}

TEST_CASE("the record of a host-wide gateway or server") {
    CHECK(parse_host_record(
              R"({"role":"gateway","home":"/h","pid":9,"createTime":1800000000.25,"host":"",
                  "port":null,"protocolVersion":1,"tokenFingerprint":"","profiles":["default","w"],
                  "updatedAt":"2026-01-01T00:00:00+00:00"})")
              .value() == HostRecord{9, 1'800'000'000.25, 2});
    CHECK(parse_host_record(R"({"role":"serve","pid":9,"createTime":180,"protocolVersion":1})")
              .value() == HostRecord{9, 180.0, 0});
    CHECK(parse_host_record(
              R"({"role":"desktop-serve","pid":9,"createTime":null,"protocolVersion":1})")
              .value() == HostRecord{9, std::nullopt, 0});
    for (const char* text :
         {"", "9", "{", "[]", R"({"pid":9,"protocolVersion":1})",
          R"({"role":"other","pid":9,"protocolVersion":1})",
          R"({"role":7,"pid":9,"protocolVersion":1})", R"({"role":"serve","pid":9})",
          R"({"role":"serve","pid":9,"protocolVersion":2})",
          R"({"role":"serve","pid":9,"protocolVersion":"1"})",
          R"({"role":"serve","pid":0,"protocolVersion":1})",
          R"({"role":"serve","pid":"9","protocolVersion":1})",
          R"({"role":"serve","pid":true,"protocolVersion":1})",
          R"({"role":"serve","protocolVersion":1})",
          R"({"role":"serve","pid":9,"createTime":"now","protocolVersion":1})",
          R"({"role":"serve","pid":9,"createTime":1e400,"protocolVersion":1})",
          R"({"role":"serve","pid":9,"createTime":NaN,"protocolVersion":1})"}) {
        INFO(text);
        CHECK_FALSE(parse_host_record(text));
    }
}

TEST_CASE("when a gateway has started") {
    CHECK(parse_gateway_starts("1800000000.25\n\nx\n1800000001\n[1]\n2e9").size() == 3);
    CHECK(parse_gateway_starts("1800000000.25\n").front() == 1'800'000'000.25);
    CHECK(parse_gateway_starts("").empty());
}

TEST_CASE("WhatsApp's pid file") {
    CHECK(parse_whatsapp_pid("9\n4711\n").value() == GatewayRecord{9, 4711});
    CHECK(parse_whatsapp_pid("9").value() == GatewayRecord{9, std::nullopt});
    for (const char* text : {"", "x", "0\n1", "\n9"}) CHECK_FALSE(parse_whatsapp_pid(text));
}

TEST_CASE("the owner of a viewer's lock") {
    CHECK(parse_viewer_lock("pid=9 started_at=1.5").value() == 9);
    CHECK(parse_viewer_lock("pid=9").value() == 9);
    for (const char* text : {"", "9", "pid=", "pid=x started_at=1", "pid=0"})
        CHECK_FALSE(parse_viewer_lock(text));
}

TEST_CASE("a desktop lock") {
    CHECK(parse_desktop_lock(R"({"schemaVersion":2,"pid":12,"port":1,"startedAt":"x"})").value() ==
          12);
    for (const char* text : {"", "12", "[]", "{}", R"({"pid":4294967296})", R"({"pid":[1]})"})
        CHECK_FALSE(parse_desktop_lock(text));
}

TEST_CASE("a spawn ledger") {
    const auto ledger = parse_ledger(
        R"([{"pid":5,"create_time":1.5,"spawner_pid":4,"spawner_create":0.5,"purpose":"serve"},
        {"pid":6}, {"pid":7,"spawner_pid":null,"create_time":null}])");
    REQUIRE(ledger);
    CHECK(*ledger == Ledger{{{5, 1.5, 4, 0.5},
                             {6, std::nullopt, 0, std::nullopt},
                             {7, std::nullopt, 0, std::nullopt}},
                            0});
    CHECK(parse_ledger("[]").value() == Ledger{});
    CHECK_FALSE(parse_ledger("{}"));
    CHECK_FALSE(parse_ledger(R"([{"pid":5})"));
}

TEST_CASE("one bad entry of a ledger does not hide the others") {
    const auto ledger = parse_ledger(
        R"([1, null, {"pid":0}, {"pid":5,"spawner_pid":"x"}, {"pid":5,"create_time":"x"},
        {"pid":5,"spawner_create":-1}, {"pid":8}])");
    REQUIRE(ledger);
    CHECK(*ledger == Ledger{{{8, std::nullopt, 0, std::nullopt}}, 6});
}

TEST_CASE("a registry of headless bridges") {
    const auto registry = parse_headless_registry(
        R"({"bridges":[{"pid":5,"parentPid":4,"startedAt":1.5,"agent":"hermes"}, {"pid":6}, {"pid":7,"parentPid":null},
        7, {"pid":-1}, {"pid":8,"parentPid":"4"}, {"pid":8,"startedAt":"now"}, {"parentPid":4}]})");
    REQUIRE(registry);
    CHECK(*registry == Ledger{{{5, 1.5, 4, std::nullopt},
                               {6, std::nullopt, 0, std::nullopt},
                               {7, std::nullopt, 0, std::nullopt}},
                              5});
    CHECK(parse_headless_registry(R"({"bridges":[]})").value() == Ledger{});
    for (const char* text :
         {"", "[]", "{}", "7", R"({"bridges":{}})", R"({"bridges":[{"pid":5})"}) {
        INFO(text);
        CHECK_FALSE(parse_headless_registry(text));
    }
}

TEST_CASE("a registry of processes: those of this machine only") {
    const auto registry = parse_process_registry(
        R"([{"pid":5,"pid_scope":"host","host_start_time":70,"owner_pid":4,"owner_started_at":60,"command":"x"},
        {"pid":6,"pid_scope":"host","host_start_time":null}, {"pid":7,"pid_scope":"sandbox"}, {"pid":8}, 1,
        {"pid":9,"pid_scope":"host","host_start_time":1.5}, {"pid":9,"pid_scope":"host","owner_started_at":"x"},
        {"pid":9,"pid_scope":"host","owner_pid":0}, {"pid":"9","pid_scope":"host"}, {"pid":9,"pid_scope":7},
        {"pid":"a container's","pid_scope":"sandbox"}, {"pid_scope":null}])");
    REQUIRE(registry);
    CHECK(*registry ==
          Ledger{{{5, std::nullopt, 4, std::nullopt, 70, 60}, {6, std::nullopt, 0, std::nullopt}},
                 6});
    CHECK(parse_process_registry("[]").value() == Ledger{});
    CHECK_FALSE(parse_process_registry("{}"));
    CHECK_FALSE(parse_process_registry(R"([{"pid":5})"));
}

TEST_CASE("the registry of a compute host, with its owner and without") {
    const auto parsed = [](const char* text) { return parse_compute_host_registry(text); };
    CHECK(parsed(R"({"host_pid": 7, "boot_id": "b", "started_at": 1.5, "argv": ["python"]})") ==
          LedgerEntry{7, std::nullopt, 0, std::nullopt});
    CHECK(parsed(R"({"host_pid": 7, "process_start_time": 70, "owner_pid": 6,
                     "owner_start_time": 60})") ==
          LedgerEntry{7, std::nullopt, 6, std::nullopt, 70, 60});
    CHECK(parsed(R"({"host_pid": 7, "process_start_time": null, "owner_pid": null})") ==
          LedgerEntry{7, std::nullopt, 0, std::nullopt});
    for (const char* text :
         {"", "{}", "[7]", "7", R"({"host_pid": 0})", R"({"host_pid": "7"})", R"({"pid": 7})",
          R"({"host_pid": 7, "owner_pid": 0})", R"({"host_pid": 7, "owner_pid": "6"})",
          R"({"host_pid": 7, "process_start_time": -1})",
          R"({"host_pid": 7, "owner_start_time": 1.5})", R"({"host_pid": 7)"}) {
        INFO(text);
        CHECK_FALSE(parsed(text));
    }
}

TEST_CASE("what Hermes records on macOS is in hundredths of a second, in every file") {
    CHECK(parse_compute_host_registry(
              R"({"host_pid": 7, "process_start_time": 180000000025, "owner_pid": 6,
                  "owner_start_time": 180000000000})") ==
          LedgerEntry{7, 1'800'000'000.25, 6, 1'800'000'000.0});
    CHECK(parse_whatsapp_pid("7\n180000000025\n") ==
          GatewayRecord{7, std::nullopt, 1'800'000'000.25});
    CHECK(parse_process_registry(
              R"([{"pid":5,"pid_scope":"host","host_start_time":180000000025,"owner_pid":4,
                   "owner_started_at":180000000000}])")
              .value() == Ledger{{{5, 1'800'000'000.25, 4, 1'800'000'000.0}}, 0});
    CHECK(recorded_start(99'999'999'999).ticks == 99'999'999'999U);
    CHECK_FALSE(recorded_start(99'999'999'999).epoch);
    CHECK(recorded_start(100'000'000'000).epoch == 1'000'000'000.0);
    CHECK_FALSE(recorded_start(100'000'000'000).ticks);
}

TEST_CASE("the record of a meet bot") {
    CHECK(parse_meet_bot_record(R"({"pid": 7, "pid_start_time": 70, "meeting_id": "a"})") ==
          GatewayRecord{7, 70});
    CHECK(parse_meet_bot_record(R"({"pid": 7, "pid_start_time": null})") ==
          GatewayRecord{7, std::nullopt});
    CHECK(parse_meet_bot_record(R"({"pid": 7, "pid_start_time": 180000000000})") ==
          GatewayRecord{7, std::nullopt, 1'800'000'000.0});
    for (const char* text : {"", "7", "{}", R"({"pid": 7, "pid_start_time": "x"})"})
        CHECK_FALSE(parse_meet_bot_record(text));
}

TEST_CASE("an update marker") {
    CHECK(parse_update_marker("31\n1700000000\n").value() == UpdateMarker{31, 1700000000});
    CHECK(parse_update_marker("31\n1700000000\nhandoff-bridge\n").value() ==
          UpdateMarker{31, 1700000000});
    for (const char* text : {"", "31", "31\n", "\n1700000000", "31 1700000000", "31\n-5",
                             "31\nsoon", "0\n1", "31\n99999999999999"}) {
        INFO(text);
        CHECK_FALSE(parse_update_marker(text));
    }
}
