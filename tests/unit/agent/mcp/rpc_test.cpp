#include "agent/mcp/rpc.hpp"

#include "agent/mcp/line_splitter.hpp"
#include "tests/support/catch.hpp"

namespace reaper::agent {

namespace {

RpcMessage with_id(const std::string& id) {
    return parse_rpc(R"({"jsonrpc":"2.0","method":"ping","id":)" + id + "}");
}

}  // namespace

TEST_CASE("An id is a text or an integer, and is answered as it came") {
    for (const char* id : {"1", "-7", "0", "\"1\"", "\"\"", "9007199254740993"}) {
        INFO(id);
        const RpcMessage message = with_id(id);
        REQUIRE(message.kind == RpcKind::request);
        CHECK(result_line(message.id, Json::object()) ==
              std::string(R"({"jsonrpc":"2.0","id":)") + id + ",\"result\":{}}\n");
    }
    for (const char* id : {"null", "1.5", "true", "[]", "{}", "1e300"}) {
        INFO(id);
        const RpcMessage message = with_id(id);
        CHECK(message.kind == RpcKind::invalid);
        CHECK(message.code == kInvalidRequest);
        CHECK(message.id.is_null());
    }
}

TEST_CASE("What is no message is answered by its kind") {
    struct Row {
        std::string line;
        int code;
        std::string id;
    };
    const Row rows[] = {
        {"", kParseError, "null"},
        {"{", kParseError, "null"},
        {"\xff", kParseError, "null"},
        {R"({"a":"\ud800"})", kParseError, "null"},
        {"[]", kInvalidRequest, "null"},
        {R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])", kInvalidRequest, "null"},
        {"null", kInvalidRequest, "null"},
        {"1", kInvalidRequest, "null"},
        {"{}", kInvalidRequest, "null"},
        {R"({"id":3,"method":"ping"})", kInvalidRequest, "3"},
        {R"({"jsonrpc":"1.0","id":3,"method":"ping"})", kInvalidRequest, "3"},
        {R"({"jsonrpc":"2.0","id":3})", kInvalidRequest, "3"},
        {R"({"jsonrpc":"2.0","id":3,"method":7})", kInvalidRequest, "3"},
        {R"({"jsonrpc":"2.0","id":3,"method":7,"result":{}})", kInvalidRequest, "3"},
        {R"({"jsonrpc":"2.0","id":3,"method":"ping","params":[]})", kInvalidRequest, "3"},
    };
    for (const Row& row : rows) {
        INFO(row.line);
        const RpcMessage message = parse_rpc(row.line);
        CHECK(message.kind == RpcKind::invalid);
        CHECK(message.code == row.code);
        CHECK(json_text(message.id) == row.id);
        CHECK_FALSE(message.wrong.empty());
    }
}

TEST_CASE("What would take long or deep to read is not read") {
    const auto line = [](const std::string& params) {
        return parse_rpc(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":)" + params + "}");
    };
    const auto nested = [](std::size_t depth) {
        return "{\"a\":" + std::string(depth, '[') + std::string(depth, ']') + "}";
    };
    const auto with_members = [](int count) {
        std::string text = "{\"a:::\":[{},{}]";
        for (int at = 1; at < count; ++at) text += ",\"" + std::to_string(at) + "\":1";
        return text + "}";
    };
    CHECK(line(nested(62)).kind == RpcKind::request);
    CHECK(line(with_members(1000)).kind == RpcKind::request);
    for (const std::string& params : {nested(63), nested(400'000), with_members(1001)}) {
        const RpcMessage message = line(params);
        CHECK(message.kind == RpcKind::invalid);
        CHECK(message.code == kParseError);
        CHECK_FALSE(message.wrong.empty());
    }
}

TEST_CASE("Notifications and answers are told from requests") {
    CHECK(parse_rpc(R"({"jsonrpc":"2.0","method":"x"})").kind == RpcKind::notification);
    const RpcMessage answer = parse_rpc(R"({"jsonrpc":"2.0","id":"a","result":{"b":1}})");
    CHECK(answer.kind == RpcKind::response);
    CHECK(answer.result == Json({{"b", 1}}));
    const RpcMessage error = parse_rpc(R"({"jsonrpc":"2.0","id":"a","error":{"code":1}})");
    CHECK(error.kind == RpcKind::response);
    CHECK(error.result.is_null());
}

TEST_CASE("A line that is sent is one line of ASCII, whatever is in it") {
    const std::string line = error_line("\x01\n\xff\xc3\xa9", -1, "a\nb\x1b[31m\xfe");
    CHECK(line.find('\n') == line.size() - 1);
    for (const char c : line) CHECK((c == '\n' || (c >= 0x20 && c <= 0x7e)));
}

TEST_CASE("A line may come in any pieces") {
    LineSplitter splitter;
    CHECK(splitter.add("{\"a\"").empty());
    CHECK(splitter.add(":1").empty());
    const auto lines = splitter.add("}\n\n{\"b\"");
    CHECK(lines == std::deque<SplitLine>{{"{\"a\":1}"}, {""}});
    CHECK(splitter.add(":2}\n") == std::deque<SplitLine>{{"{\"b\":2}"}});
}

TEST_CASE("A line that is too long is told once, and the next one is read") {
    LineSplitter splitter(4);
    CHECK(splitter.add("1234\n") == std::deque<SplitLine>{{"1234"}});
    CHECK(splitter.add("12345\n") == std::deque<SplitLine>{{"", true}});
    CHECK(splitter.add("123").empty());
    CHECK(splitter.add("456").empty());
    CHECK(splitter.add("789\nab\n") == std::deque<SplitLine>{{"", true}, {"ab"}});
}

}  // namespace reaper::agent
