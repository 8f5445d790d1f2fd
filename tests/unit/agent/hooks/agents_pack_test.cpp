#include "agent/hooks/agents_pack.hpp"

#include "agent/hooks/hosts.hpp"
#include "tests/support/catch.hpp"

using namespace reaper::agent;
namespace policy = reaper::policy;

TEST_CASE("The pack of other hosts is ended only where a rule says so") {
    const auto ends = [](std::string_view text) {
        return ends_agents(policy::overlay_rules(policy::built_in_rules(), text, "r.json").value());
    };
    CHECK(!ends_agents(policy::built_in_rules()));
    CHECK(ends("{\"packs\": [\"agents\"]}"));
    CHECK(ends("{\"families\": {\"mcp_server\": {\"enabled\": true}}}"));
    // What is on there is only reported, or kept.
    CHECK(!ends("{\"families\": {\"agent\": {\"enabled\": true}}}"));
    CHECK(!ends("{\"families\": {\"agent_daemon\": {\"enabled\": true}}}"));
}

TEST_CASE("Hermes is no host of that pack") {
    const auto has = [](std::string_view host, HookState state) {
        return has_hook_of_agents({{.host = &hook_host(host), .state = state}});
    };
    for (const HookHost& host : hook_hosts()) {
        CHECK(has(host.name, HookState::installed) == (host.name != "hermes"));
        CHECK(!has(host.name, HookState::not_installed));
        CHECK(!has(host.name, HookState::no_host));
    }
    CHECK(has("codex", HookState::by_hand));
    CHECK(has("codex", HookState::other_version));
    CHECK(has("codex", HookState::off));
    CHECK(agents_remark("/h").find(" {\"packs\": [\"agents\"]} into /h/agents.json,") !=
          std::string::npos);
}
