#include "scanner/json/record_reader.hpp"

#include <string>

#include "tests/support/catch.hpp"

using namespace reaper::scanner;

namespace {

// In pieces of that many bytes, each of which lies in memory of its own.
reaper::Result<Ledger> read_in_pieces(RecordForm form, std::string_view text, std::size_t size,
                                      const std::vector<Pid>* living = nullptr) {
    RecordReader reader(form, living);
    for (; !text.empty(); text.remove_prefix(std::min(size, text.size()))) {
        const std::string piece(text.substr(0, size));
        if (const auto fed = reader.feed(piece); !fed) return tl::unexpected(fed.error());
    }
    return reader.finish();
}

constexpr std::string_view kLedger =
    "\xef\xbb\xbf[ {\"pid\" : 5,\"argv\":\"caf\xc3\xa9 \\u00e9 \\udcff "
    "\\\"[{\",\"create_time\":1.5e0,\"x\":{\"pid\":[7]},\n"
    "\"spawner_pid\":4,\"isolated\":false}, "
    "{\"pid\":6,\"create_time\":null,\"list\":[1,-0.5E+3,true]} ]\n";

}  // namespace

TEST_CASE("a record is the same in pieces of any size") {
    for (std::size_t size = 4; size <= kLedger.size(); ++size) {
        const auto ledger = read_in_pieces(RecordForm::ledger, kLedger, size);
        REQUIRE(ledger);
        CHECK(*ledger ==
              Ledger{{{5, 1.5, 4, std::nullopt}, {6, std::nullopt, 0, std::nullopt}}, 0});
    }
}

// What register_child() of Hermes writes for an MCP server. Releases differ in the form of argv.
TEST_CASE("an entry of a child says the same, be its argv a text or a list") {
    const std::string before =
        R"([{"pid": 5, "create_time": 1775791440.25, "purpose": "mcp-helper",)"
        R"( "install": "cc907ccae096", "spawner_pid": 4, "spawner_create": 1775791438.5,)"
        R"( "registered_at": 1775791441.0, "argv": )";
    const std::string after =
        R"(, "host": "", "port": null, "profile": "", "hermes_home": "", "isolated": false}])";
    const Ledger expected{{{5, 1775791440.25, 4, 1775791438.5}}, 0};
    for (const char* argv :
         {R"("node codegraph.js serve --mcp")", R"(["node", "codegraph.js", "serve", "--mcp"])",
          R"("")", "[]", "null", R"(["pid", "spawner_pid", "7", 7, {"pid": 7}, [4]])",
          R"("{\"pid\": 7}]")"}) {
        INFO(argv);
        const std::string text = before + argv + after;
        CHECK(parse_ledger(text).value() == expected);
        CHECK(read_in_pieces(RecordForm::ledger, text, 3).value() == expected);
    }
    CHECK(parse_ledger(R"([{"pid": 5, "spawner_pid": null, "argv": ["x"]}])").value() ==
          Ledger{{{5, std::nullopt, 0, std::nullopt}}, 0});
}

TEST_CASE("a record that ends anywhere before its end is none") {
    const std::string_view whole = kLedger.substr(0, kLedger.rfind(']') + 1);
    REQUIRE(read_in_pieces(RecordForm::ledger, whole, 7));
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const auto ledger = read_in_pieces(RecordForm::ledger, whole.substr(0, size), 7);
        REQUIRE_FALSE(ledger);
        CHECK(ledger.error().code == std::errc::invalid_argument);
    }
}

TEST_CASE("what is no JSON is no record") {
    const std::string deep = std::string(33, '[') + std::string(33, ']');
    const std::string long_number(300, '1');
    for (const std::string& text : {std::string("[,]"),
                                    std::string("[{}{}]"),
                                    std::string("[{\"pid\"}]"),
                                    std::string("[{\"pid\":}]"),
                                    std::string("[{\"pid\":1,}]"),
                                    std::string("[{,}]"),
                                    std::string("[1,]"),
                                    std::string("[}"),
                                    std::string("{]"),
                                    std::string("[]]"),
                                    std::string("[] []"),
                                    std::string("[nul]"),
                                    std::string("[nullx]"),
                                    std::string("[True]"),
                                    std::string("[NaN]"),
                                    std::string("[01]"),
                                    std::string("[1.]"),
                                    std::string("[.5]"),
                                    std::string("[-]"),
                                    std::string("[1e]"),
                                    std::string("[+1]"),
                                    std::string("[1-1]"),
                                    std::string("['a']"),
                                    std::string("[\"\\x\"]"),
                                    std::string("[\"\\u12g4\"]"),
                                    std::string("[\"\n\"]"),
                                    std::string("[\"\xff\"]"),
                                    std::string("[\"\xc0\x80\"]"),
                                    std::string("[\"\xed\xa0\x80\"]"),
                                    std::string("[\"\xf4\x90\x80\x80\"]"),
                                    std::string("[\"\xe2\x82\"]"),
                                    std::string("[]\0", 3),
                                    std::string("\xef\xbb[]"),
                                    std::string("/**/[]"),
                                    "[" + long_number + "]",
                                    deep}) {
        INFO(text);
        CHECK_FALSE(parse_ledger(text));
    }
    CHECK(parse_ledger(std::string(32, '[') + std::string(32, ']')).value().malformed == 1);
}

TEST_CASE("a name that is there twice, or hides behind escapes, makes the entry say nothing") {
    for (const char* text :
         {R"([{"pid":5,"pid":5}])", R"([{"pid":5,"spawner_pid":4,"spawner_pid":null}])",
          R"([{"pid":5,"p\u0069d":6}])", R"([{"p\u0069d":6}])", R"([{"pid":[5]}])",
          R"([{"pid":{"pid":5}}])", R"([{"pid":true}])", R"([[{"pid":5}]])"}) {
        INFO(text);
        const auto ledger = parse_ledger(text);
        REQUIRE(ledger);
        CHECK(*ledger == Ledger{{}, 1});
    }
    CHECK(parse_ledger(R"([{"pid":5,"x":1,"x":2}])").value().malformed == 0);
    CHECK(
        parse_process_registry(R"([{"pid":5,"pid_scope":"sandbox","pid_scope":"host"}])").value() ==
        Ledger{{}, 1});
    CHECK(parse_process_registry(R"([{"pid":5,"pid_scope":"h\u006fst"}])").value() ==
          Ledger{{}, 1});
    CHECK(parse_process_registry(R"([{"pid":5,"pid_scope":["host"]}])").value() == Ledger{{}, 1});
    CHECK_FALSE(parse_headless_registry(R"({"bridges":[],"bridges":[]})"));
}

TEST_CASE("only the list of bridges is one") {
    CHECK(parse_headless_registry(
              R"({"x":[{"pid":5}],"y":{"bridges":[{"pid":5}]},"bridges":[{"pid":6}],"z":7})")
              .value() == Ledger{{{6, std::nullopt, 0, std::nullopt}}, 0});
    for (const char* text : {R"({"x":[{"pid":5}]})", R"({"y":{"bridges":[]}})", R"({"bridges":7})",
                             R"({"bridges":null})"}) {
        INFO(text);
        CHECK_FALSE(parse_headless_registry(text));
    }
}

TEST_CASE("only what lives is kept, and one of each that says the same") {
    const std::vector<Pid> living = {3, 5};
    const auto ledger = read_in_pieces(
        RecordForm::ledger,
        R"([{"pid":5},{"pid":4},{"pid":3,"spawner_pid":1},{"pid":5,"purpose":"x"},{"pid":5,"create_time":1}])",
        10, &living);
    REQUIRE(ledger);
    CHECK(*ledger == Ledger{{{3, std::nullopt, 1, std::nullopt},
                             {5, std::nullopt, 0, std::nullopt},
                             {5, 1.0, 0, std::nullopt}},
                            0});
}

TEST_CASE("what is kept of a record has a bound, whatever it says") {
    const auto list_of = [](std::size_t count, std::size_t pids) {
        std::string text = "[";
        for (std::size_t at = 0; at < count; ++at)
            text += (at == 0 ? "" : ",") + (R"({"pid":)" + std::to_string(1 + at % pids)) +
                    R"(,"create_time":)" + std::to_string(at / pids) + "}";
        return text + "]";
    };
    CHECK(parse_ledger(list_of(kMostKept, kMostKept)).value().entries.size() == kMostKept);
    for (const std::string& text :
         {list_of(kMostKept + 1, kMostKept + 1), list_of(3 * kMostKept, 3 * kMostKept),
          list_of(kMostOfOnePid + 1, 1), list_of(kMostEntries + 1, kMostEntries + 1)}) {
        const auto ledger = parse_ledger(text);
        REQUIRE_FALSE(ledger);
        CHECK(ledger.error().code == std::errc::file_too_large);
    }
    std::string nested = "[{\"pid\":5,\"x\":[1";
    for (std::size_t at = 0; at < kMostTokens - 10; ++at) nested += ",1";
    CHECK(parse_ledger(nested + "]}]").value().entries.size() == 1);
    CHECK(parse_ledger(nested + ",1,1]}]").error().code == std::errc::file_too_large);
    std::string same = "[{\"pid\":5}";
    for (std::size_t at = 1; at < kMostEntries; ++at) same += ",{\"pid\":5}";
    CHECK(parse_ledger(same + "]").value().entries.size() == 1);
}
