#include "agent/hooks/yaml_hooks.hpp"

#include "agent/hooks/hosts.hpp"
#include "agent/hooks/plan.hpp"
#include "tests/support/catch.hpp"

using namespace reaper::agent;

namespace {

const HookHost& hermes() {
    return hook_host("hermes");
}

std::string refused(const std::string& text) {
    const auto added = add_yaml_hook(text, hermes(), "orphan-reaper");
    return added ? "not refused" : added.error();
}

constexpr std::string_view kItem =
    "- command: \"orphan-reaper sweep --detach --after host --quiet --from hermes\"\n";

}  // namespace

TEST_CASE("What install adds to a YAML file, remove takes out byte for byte") {
    for (const std::string before :
         {"", "model: x\n", "model: x", "# only this\n", "---\nmodel: x\n\n# end\n",
          "hooks: {}\nmodel: x\n", "hooks:\n", "hooks: null\n# after\n",
          "hooks:\n  pre_tool_call:\n    - command: \"x\"\nmodel: x\n",
          "hooks:\n    # mine\n\n    on_session_finalize:\n    - command: x\n      timeout: 5\n",
          "hooks:\n  on_session_finalize:\n    - command: x\n  other:\n  - command: y\n",
          "toolsets:\n- a\n- b\nprompt: \"it's\n  long\"\nother: 'it''s'\n",
          "text: |\n  hooks:\n    x\n\n  y\nlast: {a: [1, 2]}\n"}) {
        CAPTURE(before);
        const HookPlace place{
            .host = &hermes(), .is_there = true, .file = {.path = "/c", .text = before}};
        const auto installed = plan_hook_install(place, "orphan-reaper");
        REQUIRE(installed);
        CAPTURE(*installed->after);
        HookPlace with = place;
        with.file.text = installed->after;
        with.file.backup = installed->backup_text;
        CHECK(hook_status(with, "orphan-reaper").state == HookState::installed);
        CHECK(hook_status(with, "/x/orphan-reaper").state == HookState::other_version);
        CHECK(plan_hook_remove(with)->after == before);
        const auto moved = plan_hook_install(with, "/x/orphan-reaper");
        REQUIRE(moved);
        with.file.text = moved->after;
        CHECK(plan_hook_remove(with)->after == before);
    }
}

TEST_CASE("A hook of YAML stands where the others do") {
    const auto added = [](const std::string& text) {
        return add_yaml_hook(text, hermes(), "orphan-reaper").value_or("refused");
    };
    const std::string item(kItem);
    CHECK(added("a: 1") ==
          "a: 1\nhooks:\n  on_session_finalize:\n    " + item + "      timeout: 5\n");
    CHECK(added("hooks: {}\na: 1\n") ==
          "hooks:\n  on_session_finalize:\n    " + item + "      timeout: 5\na: 1\n");
    CHECK(added("hooks:\n    b:\n    - command: x\n") ==
          "hooks:\n    on_session_finalize:\n      " + item +
              "        timeout: 5\n    b:\n    - command: x\n");
    CHECK(added("hooks:\n  on_session_finalize:\n  - command: x\n") ==
          "hooks:\n  on_session_finalize:\n  " + item + "    timeout: 5\n  - command: x\n");
}

TEST_CASE("A hook that the host has written anew is found and taken out") {
    const std::string text =
        "a: 1\nhooks:\n  on_session_finalize:\n  - command: /home/u/.local/bin/orphan-reaper sweep "
        "--detach --after host --quiet\n      --from hermes\n    timeout: 5\nz: 1\n";
    CHECK(yaml_state(text, hermes(), "/home/u/.local/bin/orphan-reaper") == HookState::installed);
    CHECK(remove_yaml_hooks(text, hermes(), std::nullopt) == "a: 1\nz: 1\n");
    CHECK(remove_yaml_hooks(text, hermes(), "hooks: {}\na: 1\n") == "a: 1\nhooks: {}\nz: 1\n");
}

TEST_CASE("YAML that is not plain is refused") {
    for (const char* text : {"{a: 1}\n",
                             "- a\n",
                             "  a: 1\n",
                             "a: 1\n---\nb: 1\n",
                             "a: 1\n...\n",
                             "%YAML 1.2\n---\na: 1\n",
                             "a: \"x\nb: y\"\n",
                             "a: {\nb: c}\n",
                             "a: [\nb: c]\n",
                             "a: 'x\nb: y'\n",
                             "a: \"x\nhooks: y\"\n",
                             "a: {\nhooks: {}}\n",
                             "a: 'x\nhooks: y'\n",
                             "\"hooks\": {}\n",
                             "? a\n: b\n",
                             "a:\n\tb: 1\n",
                             "a: 1\r\n",
                             "plain text\n",
                             "<<: *x\n",
                             "hooks: {}\nhooks: {}\n",
                             "hooks: {a: []}\n",
                             "hooks: &x\n  a: []\n",
                             "hooks: []\n",
                             "hooks:\n- a\n",
                             "hooks:\n  on_session_finalize: []\n",
                             "hooks:\n  on_session_finalize:\n    command: x\n"}) {
        CAPTURE(text);
        CHECK(refused(text) != "not refused");
    }
}
