#include "agent/mcp/session.hpp"
#include "tests/unit/agent/mcp/conversation.hpp"

namespace reaper::agent {

namespace {

using namespace std::chrono_literals;
using test::Conversation;
using test::says;

const Json asks = {{"elicitation", Json::object()}};
const Json yes = {{"action", "accept"}, {"content", {{"confirm", true}}}};

Json sweep_of(const std::string& id) {
    return Conversation::tool("sweep", {{"plan_id", id}});
}

// Returns the question that comes for it.
Json ask(Conversation& client, const std::string& id) {
    const Json line = client.one(client.request("tools/call", sweep_of(id)));
    REQUIRE(line["method"] == "elicitation/create");
    return line;
}

Json answer(const Json& question, const Json& result) {
    return {{"jsonrpc", "2.0"}, {"id", question["id"]}, {"result", result}};
}

const Json not_yes[] = {
    {{"action", "decline"}},
    {{"action", "cancel"}},
    {{"action", "accept"}},
    {{"action", "accept"}, {"content", Json::object()}},
    {{"action", "accept"}, {"content", {{"confirm", false}}}},
    {{"action", "accept"}, {"content", {{"confirm", "true"}}}},
    {{"action", "accept"}, {"content", {{"confirm", 1}}}},
    {{"action", "decline"}, {"content", {{"confirm", true}}}},
    {{"action", "yes"}, {"content", {{"confirm", true}}}},
};

// A modern request with the answer to a question.
Json again(Conversation& client, const std::string& id, const Json& state, const Json& result) {
    Json params = sweep_of(id);
    params["inputResponses"] = {{"confirm", result}};
    if (!state.is_null()) params["requestState"] = state;
    return client.modern("tools/call", params, asks);
}

Json state_of(Conversation& client, const std::string& id) {
    const Json result = client.one(client.modern("tools/call", sweep_of(id), asks))["result"];
    REQUIRE(result["resultType"] == "input_required");
    return result["requestState"];
}

}  // namespace

TEST_CASE("A yes of the person ends what the plan has, and nothing else") {
    Conversation client;
    client.initialize("2025-06-18", asks);
    const std::string id = client.plan({{"families", {"bridge"}}, {"reap", {"abandoned"}}});
    CHECK(id.size() == 32);
    const Json question = ask(client, id);
    CHECK(says(question, "pid 4711, bridge/headless, orphan"));
    CHECK(question["params"]["requestedSchema"]["properties"]["confirm"]["title"] ==
          "End 1 process?");
    CHECK_FALSE(client.works());
    CHECK(client.send(answer(question, yes)).empty());
    const ToolCall call = client.work({});
    CHECK(call.tool == "sweep");
    CHECK(call.plan == test::planned().plan);
    CHECK(call.arguments == Json({{"families", {"bridge"}}, {"reap", {"abandoned"}}}));
    CHECK(call.from == "mcp:old");
}

TEST_CASE("Anything but a yes ends nothing, and the plan is used up") {
    for (const Json& result : not_yes) {
        INFO(json_text(result));
        Conversation client;
        client.initialize("2025-11-25", asks);
        const std::string id = client.plan();
        const Json said = client.one(answer(ask(client, id), result));
        CHECK(said["result"]["isError"] == true);
        CHECK(says(said, "did not agree"));
        CHECK_FALSE(client.works());
        CHECK(says(client.one(client.request("tools/call", sweep_of(id))), "no such plan"));
    }
}

TEST_CASE("An answer to another question, or twice, changes nothing") {
    Conversation client;
    client.initialize("2025-11-25", asks);
    const Json question = ask(client, client.plan());
    Json other = answer(question, yes);
    other["id"] = "orphan-reaper-2";
    CHECK(client.send(other).empty());
    other["id"] = 1;
    CHECK(client.send(other).empty());
    CHECK_FALSE(client.works());
    client.send(answer(question, {{"action", "decline"}}));
    CHECK(client.send(answer(question, yes)).empty());
    CHECK_FALSE(client.works());
}

TEST_CASE("A client that cannot ask gets the command to type") {
    const std::pair<std::string, Json> clients[] = {
        {"2025-06-18", Json::object()},
        {"2025-11-25", {{"elicitation", {{"url", Json::object()}}}}},
        {"2025-03-26", asks},  // the protocol knew no questions then
        {"2025-06-18", {{"elicitation", true}}},
    };
    for (const auto& [version, capabilities] : clients) {
        INFO(version << json_text(capabilities));
        Conversation client;
        client.initialize(version, capabilities);
        const std::string id = client.plan();
        const Json said = client.one(client.request("tools/call", sweep_of(id)));
        CHECK(said["result"]["isError"] == true);
        CHECK(says(said, "orphan-reaper sweep --family bridge"));
        const Json modern = client.one(client.modern("tools/call", sweep_of(id), capabilities));
        if (capabilities != asks) CHECK(modern["result"]["isError"] == true);
        CHECK_FALSE(client.works());
    }
}

TEST_CASE("A client that fails to ask gets the command to type") {
    Conversation client;
    client.initialize("2025-06-18", asks);
    const Json question = ask(client, client.plan());
    const Json said =
        client.one({{"jsonrpc", "2.0"}, {"id", question["id"]}, {"error", {{"code", -32601}}}});
    CHECK(says(said, "orphan-reaper sweep --family bridge"));
    CHECK_FALSE(client.works());
}

TEST_CASE("In the new era the request comes again, with the state that only this process knows") {
    Conversation client;
    const std::string id = client.plan();
    const Json first = client.one(client.modern("tools/call", sweep_of(id), asks))["result"];
    const Json form = first["inputRequests"]["confirm"];
    CHECK(form["method"] == "elicitation/create");
    CHECK(form["params"]["mode"] == "form");
    CHECK(says(form, "pid 4711"));
    CHECK(client.send(again(client, id, first["requestState"], yes)).empty());
    CHECK(client.work({}).plan.size() == 1);
}

TEST_CASE("A state that this process did not send for this plan is no consent") {
    Conversation client;
    const std::string id = client.plan();
    const Json early = client.one(again(client, id, "00000000000000000000000000000001", yes));
    CHECK(early["error"]["code"] == -32602);
    const Json none = client.one(again(client, id, nullptr, yes))["result"];
    CHECK(none["resultType"] == "input_required");  // an answer to no question
    const Json state = state_of(client, id);
    CHECK(state != none["requestState"]);
    CHECK(client.one(again(client, id, none["requestState"], yes))["error"]["code"] == -32602);
    CHECK(client.one(again(client, id, 7, yes))["error"]["code"] == -32602);
    const std::string other = client.plan();
    CHECK(client.one(again(client, other, state, yes))["error"]["code"] == -32602);
    CHECK_FALSE(client.works());
    CHECK(client.send(again(client, id, state, yes)).empty());
    CHECK(client.work({}).tool == "sweep");
    CHECK(client.output().size() == 1);
    CHECK(says(client.one(again(client, id, state, yes)), "no such plan"));
}

TEST_CASE("In the new era, too, anything but a yes ends nothing") {
    for (const Json& result : not_yes) {
        INFO(json_text(result));
        Conversation client;
        const std::string id = client.plan();
        const Json state = state_of(client, id);
        CHECK(says(client.one(again(client, id, state, result)), "did not agree"));
        CHECK_FALSE(client.works());
        CHECK(says(client.one(again(client, id, state, yes)), "no such plan"));
    }
}

TEST_CASE("A plan is good for five minutes, and so is the question about it") {
    Conversation client;
    client.initialize("2025-06-18", asks);
    const std::string old = client.plan();
    client.now += 5min;
    CHECK(says(client.one(client.request("tools/call", sweep_of(old))), "no such plan"));
    const Json question = ask(client, client.plan());
    CHECK(*client.session.next_expiry() == client.now + 5min);
    client.now += 5min;
    client.session.expire(client.now);
    const auto lines = client.output();
    REQUIRE(lines.size() == 1);
    CHECK(says(lines.front(), "no answer came"));
    CHECK_FALSE(client.session.next_expiry());
    CHECK(client.send(answer(question, yes)).empty());
    CHECK_FALSE(client.works());
}

TEST_CASE("One sweep at a time, and one in 30 seconds") {
    Conversation client;
    client.initialize("2025-06-18", asks);
    const std::string one = client.plan();
    const std::string two = client.plan();
    const std::string three = client.plan();
    const Json question = ask(client, one);
    CHECK(says(client.one(client.request("tools/call", sweep_of(two))), "another plan"));
    client.send(answer(question, yes));
    CHECK(says(client.one(client.request("tools/call", sweep_of(two))), "is at work"));
    REQUIRE(client.session.begin_next(client.now)->tool == "sweep");
    CHECK(says(client.one(client.request("tools/call", sweep_of(two))), "is at work"));
    client.session.finish({}, client.now);
    std::ignore = client.output();
    client.now += 29s;
    CHECK(says(client.one(client.request("tools/call", sweep_of(two))), "try again in 1 s"));
    client.now += 1s;
    client.send(answer(ask(client, two), yes));
    CHECK(client.work({}).tool == "sweep");
    std::ignore = client.output();
    CHECK(says(client.one(client.request("tools/call", sweep_of(three))), "try again in 30 s"));
}

TEST_CASE("A cancelled question is no question any more") {
    Conversation client;
    client.initialize("2025-06-18", asks);
    const Json question = ask(client, client.plan());
    client.send({{"jsonrpc", "2.0"},
                 {"method", "notifications/cancelled"},
                 {"params", {{"requestId", client.id}}}});
    CHECK(client.send(answer(question, yes)).empty());
    CHECK_FALSE(client.works());
}

TEST_CASE("Nothing is asked where nothing is planned, or there are no random numbers") {
    Conversation client;
    client.send(client.request("tools/call", Conversation::tool("plan_sweep")));
    ToolAnswer nothing = test::planned();
    nothing.plan.clear();
    client.work(nothing);
    CHECK_FALSE(client.output().front()["result"]["structuredContent"].contains("plan_id"));
    McpSession poor(true, [] { return std::string(); });
    poor.take(json_text(client.request("tools/call", Conversation::tool("plan_sweep"))),
              client.now);
    REQUIRE(poor.begin_next(client.now));
    poor.finish(test::planned(), client.now);
    CHECK(poor.take_output().find("plan_id") == std::string::npos);
    poor.take(json_text(client.request("tools/call", sweep_of(""))), client.now);
    CHECK(poor.take_output().find("no such plan") != std::string::npos);
}

}  // namespace reaper::agent
