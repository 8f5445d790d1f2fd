#include "agent/mcp/session.hpp"

#include "tests/unit/agent/mcp/conversation.hpp"

namespace reaper::agent {

namespace {

using test::Conversation;
using test::planned;
using test::says;

ToolAnswer done() {
    ToolAnswer answer;
    answer.structured = {{"done", true}};
    return answer;
}

}  // namespace

TEST_CASE("Each older version is spoken, and an unknown one gets the newest of them") {
    for (const std::string version : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}) {
        Conversation client;
        const Json answer = client.initialize(version);
        CHECK(answer["result"]["protocolVersion"] == version);
        CHECK(answer["result"]["serverInfo"]["name"] == "orphan-reaper");
        CHECK(answer["result"]["capabilities"]["tools"].is_object());
        CHECK_FALSE(answer["result"].contains("resultType"));
    }
    Conversation client;
    CHECK(client.initialize("1999-01-01")["result"]["protocolVersion"] == "2025-11-25");
    CHECK(client.send({{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}}).empty());
    CHECK(client.one(client.request("ping"))["result"] == Json::object());
    const Json tools = client.one(client.request("tools/list"));
    CHECK(tools["result"]["tools"] == list_tools(true));
    CHECK_FALSE(tools["result"].contains("ttlMs"));
}

TEST_CASE("The new era needs no opening, and says in each result what it is") {
    Conversation client;
    const Json found = client.one(client.modern("server/discover"))["result"];
    CHECK(found["resultType"] == "complete");
    CHECK(found["supportedVersions"] == Json::array({"2026-07-28"}));
    CHECK(found["ttlMs"].is_number_integer());
    CHECK(found["cacheScope"] == "private");
    CHECK(found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "orphan-reaper");
    const Json tools = client.one(client.modern("tools/list"))["result"];
    CHECK(tools["tools"] == list_tools(true));
    CHECK(tools["ttlMs"].is_number_integer());
    CHECK(tools["cacheScope"] == "private");
    client.send(client.modern("tools/call", Conversation::tool("report")));
    CHECK(client.work(done()).from == "mcp:new-client");
    const Json result = client.output().front()["result"];
    CHECK(result["resultType"] == "complete");
    CHECK(result["structuredContent"] == Json({{"done", true}}));
    CHECK(result["content"] == Json::array({{{"type", "text"}, {"text", R"({"done":true})"}}}));
    CHECK(result["isError"] == false);
}

TEST_CASE("Both eras can be spoken side by side") {
    Conversation client;
    client.initialize("2025-06-18");
    CHECK(client.one(client.modern("tools/list"))["result"].contains("resultType"));
    CHECK_FALSE(client.one(client.request("tools/list"))["result"].contains("resultType"));
}

TEST_CASE("A request of the new era that is not whole is refused by the right code") {
    Conversation client;
    Json unknown = client.modern("tools/list");
    unknown["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2099-01-01";
    const Json refused = client.one(unknown)["error"];
    CHECK(refused["code"] == -32022);
    CHECK(refused["data"]["requested"] == "2099-01-01");
    CHECK(refused["data"]["supported"] ==
          Json::array({"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}));
    Json bare = client.modern("tools/list");
    bare["params"]["_meta"].erase("io.modelcontextprotocol/clientCapabilities");
    CHECK(client.one(bare)["error"]["code"] == -32602);
    Json number = client.modern("tools/list");
    number["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = 7;
    CHECK(client.one(number)["error"]["code"] == -32602);
    CHECK(client.one(client.request("server/discover"))["error"]["code"] == -32602);
    CHECK(client.one(client.modern("ping"))["error"]["code"] == -32601);
    CHECK(client.one(client.modern("logging/setLevel"))["error"]["code"] == -32601);
    Json strange = client.modern("tools/list");
    strange["params"]["_meta"]["com.example/what"] = Json::array({1, nullptr});
    CHECK(client.one(strange).contains("result"));
}

TEST_CASE("Unknown methods, tools and arguments are refused before any work") {
    Conversation client;
    client.initialize("2025-06-18");
    CHECK(client.one(client.request("resources/list"))["error"]["code"] == -32601);
    const std::pair<Json, std::string> calls[] = {
        {Json::object(), "there is no tool ''"},
        {Conversation::tool("kill"), "there is no tool 'kill'"},
        {Conversation::tool("report", {{"pid", 1}}), "'pid' is not known"},
        {Conversation::tool("report", {{"families", "x"}}), "families: expected type array"},
        {Conversation::tool("report", {{"verbose", 1}}), "verbose: expected type boolean"},
        {Conversation::tool("explain"), "'pid' is missing"},
        {Conversation::tool("explain", {{"pid", 0}}), "out of range"},
        {Conversation::tool("explain", {{"pid", 1.5}}), "expected type integer"},
        {Conversation::tool("explain", {{"pid", 4294967297}}), "out of range"},
        {Conversation::tool("plan_sweep", {{"reap", {"held"}}}), "'held' is none of"},
        {Conversation::tool("plan_sweep", {{"reap", {"in-service"}}}), "is none of"},
        {Conversation::tool("plan_sweep", {{"max_kills", 9}}), "'max_kills' is not known"},
        {Conversation::tool("sweep", {{"plan_id", "x"}, {"pid", 1}}), "'pid' is not known"},
        {Conversation::tool("report", Json::array({1})), "expected type object"},
    };
    for (const auto& [params, words] : calls) {
        INFO(json_text(params));
        const Json answer = client.one(client.request("tools/call", params));
        CHECK(answer["error"]["code"] == -32602);
        CHECK(says(answer, words));
    }
    CHECK_FALSE(client.works());
}

TEST_CASE("Without the permission there is no tool that ends anything") {
    Conversation client(false);
    CHECK_FALSE(says(client.one(client.request("tools/list")), "\"sweep\""));
    const Json call = client.request("tools/call", Conversation::tool("sweep", {{"plan_id", "x"}}));
    CHECK(client.one(call)["error"]["code"] == -32602);
    client.send(client.request("tools/call", Conversation::tool("plan_sweep")));
    client.work(planned());
    CHECK_FALSE(client.output().front()["result"]["structuredContent"].contains("plan_id"));
}

TEST_CASE("Calls are worked on one by one, and others are answered meanwhile") {
    Conversation client;
    client.initialize("2025-11-25");
    client.send(client.request("tools/call", Conversation::tool("report")));
    client.send(client.request("tools/call", Conversation::tool("history", {{"since", "1h"}})));
    REQUIRE(client.session.begin_next(client.now)->tool == "report");
    CHECK_FALSE(client.works());
    CHECK(client.one(client.request("ping")).contains("result"));
    client.session.finish(done(), client.now);
    CHECK(client.output().front()["id"] == 2);
    const ToolCall second = client.work(done());
    CHECK(second.tool == "history");
    CHECK(second.arguments == Json({{"since", "1h"}}));
    CHECK(second.from == "mcp:old");
}

TEST_CASE("More calls than can wait are told so") {
    Conversation client;
    const auto call = [&] { return client.request("tools/call", Conversation::tool("report")); };
    for (int waiting = 0; waiting < 16; ++waiting) CHECK(client.send(call()).empty());
    const Json refused = client.one(call());
    CHECK(refused["result"]["isError"] == true);
    CHECK(says(refused, "too many calls"));
}

TEST_CASE("Failed work is a result that the model reads") {
    Conversation client;
    client.send(client.request("tools/call", Conversation::tool("report")));
    client.work(tool_trouble("the rules are wrong"));
    const Json result = client.output().front()["result"];
    CHECK(result["isError"] == true);
    CHECK(result["content"][0]["text"] == "the rules are wrong");
    CHECK_FALSE(result.contains("structuredContent"));
}

TEST_CASE("A call that is cancelled gets no answer, whether it waits or is at work") {
    Conversation client;
    const auto cancel = [&](int id) {
        return client.send({{"jsonrpc", "2.0"},
                            {"method", "notifications/cancelled"},
                            {"params", {{"requestId", id}}}});
    };
    client.send(client.request("tools/call", Conversation::tool("report")));
    client.send(client.request("tools/call", Conversation::tool("history")));
    REQUIRE(client.session.begin_next(client.now));
    CHECK_FALSE(client.session.is_cancelled());
    CHECK(cancel(2).empty());
    CHECK(cancel(99).empty());
    CHECK_FALSE(client.session.is_cancelled());
    CHECK(cancel(1).empty());
    CHECK(client.session.is_cancelled());
    client.session.finish(done(), client.now);
    CHECK(client.output().empty());
    CHECK_FALSE(client.works());
}

TEST_CASE("A client's name is plain text in the history") {
    const std::pair<std::string, std::string> names[] = {
        {"claude-code", "mcp:claude-code"},
        {"", "mcp"},
        {"a b\n\x1b[31m\"'`$(x)", "mcp:a-b---31m-----x-"},
        {std::string(500, 'x'), "mcp:" + std::string(40, 'x')},
    };
    for (const auto& [name, from] : names) {
        Conversation client;
        client.one(client.request(
            "initialize", {{"protocolVersion", "2025-06-18"}, {"clientInfo", {{"name", name}}}}));
        client.send(client.request("tools/call", Conversation::tool("report")));
        CHECK(client.work(done()).from == from);
    }
}

TEST_CASE("Junk and lines that are too long do not end the session") {
    Conversation client;
    CHECK(client.send_text("what?").front()["error"]["code"] == -32700);
    client.session.refuse_long_line();
    CHECK(client.output().front()["error"]["code"] == -32600);
    CHECK(client.one(client.request("ping")).contains("result"));
}

}  // namespace reaper::agent
