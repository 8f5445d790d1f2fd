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
    for (const char* text :
         {"{a: 1}\n",
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
          "a: b: c\n",
          "a: *x\n",
          "a: @x\n",
          "a: \"x\" y\n",
          "a: \"\\q\"\n",
          "a: \"x\"#y\n",
          "a: =\n",
          "a: ? b\n",
          "a: - b\n",
          "a: x\n  b: y\n",
          "a: x # c\n  y\n",
          "a:\n    b: 1\n  c: 2\n",
          "a:\n  - b\n  c: 1\n",
          "a:\n  - b\n - c\n",
          "a:\n  b: [1\nc: 2\n",
          "a: [1, 2]]\n",
          "a: [1,, 2]\n",
          "a: {b}\n",
          "a: [*x]\n",
          "a: 1\na: 2\n",
          "a:\n  - b: 1\n    b: 2\n",
          "a: 1\n\t\n",
          "a:\tb\n",
          "a: \"\xff\"\n",
          "a: \x01\n",
          "a: x\xe2\x80\xa8hooks: y\n",
          "a: \"x\xc2\x85y\"\n",
          "a: |\n  text",
          "a: |2\n    x\n  hooks:\n",
          "a: |\n     \n  x\n",
          "hooks:\n  a:\n    - command: x\n  \"on_session_finalize\":\n    - b\n",
          "hooks:\n  a:\n    - command: x\n  on_session_finalize :\n    - b\n",
          "hooks:\n  a:\n    - command: x\n  ? on_session_finalize\n  :\n    - b\n",
          "d: &d\n  a: 1\nhooks:\n  <<: *d\n",
          "hooks:\n  on_session_finalize: []\n",
          "hooks:\n  on_session_finalize:\n    command: x\n"}) {
        CAPTURE(text);
        CHECK(refused(text) != "not refused");
    }
    CHECK(refused(std::string("a: 1\0\n", 6)) != "not refused");
    CHECK(refused("a: [" + std::string(100'000, '[')) != "not refused");
}

TEST_CASE("Plain YAML, as hosts and people write it, is understood") {
    for (const char* text :
         {"a: -1\nb: --x\nc: http://x/y?z\nd: it's # so\n", "a: \"b # c\" # d\n'x y': ''\n",
          "a:\n- b: 1\n  c:\n  - d\n\n  - e: >-\n      # f\n      g: h\n\n# i\n- 'j'\n",
          "a:\n  -\n    b: 1\n  - c\n    d\n\n    e\nf: \"g\\\n  \\ h\"\n",
          "a: |+\n  b\n\n   c\n\nd: []\ne: {}\nf: {g: \"h\", i: [1, 2.5, 'j']}\n",
          "a/b: 1\n\"my key\": 2\n  # far\nc:\n# d\ne: ~\n"}) {
        CAPTURE(text);
        CHECK(refused(text) == "not refused");
    }
}

TEST_CASE("A file of YAML that has become too much is refused with its line") {
    const std::string with = *add_yaml_hook("a: 1\n", hermes(), "orphan-reaper");
    const std::string why = "has a line 6 that has a value that is not plain";
    const HookPlace place{.host = &hermes(),
                          .is_there = true,
                          .file = {.path = "/c", .text = with + "m: &m 1\nn: *m\n"}};
    const HookStatus status = hook_status(place, "orphan-reaper");
    CHECK(status.state == HookState::unknown);
    CHECK(status.remark == why);
    for (const auto& plan : {plan_hook_install(place, "orphan-reaper"), plan_hook_remove(place)}) {
        REQUIRE(!plan);
        CHECK(plan.error() == "hermes: /c " + why);
    }
    CHECK(asks_already(place));
}

TEST_CASE("In the event of Hermes a hook counts whoever it says that it is from") {
    const std::string begin = "a: 1\nhooks:\n  on_session_finalize:\n";
    const auto look = [](const std::string& text, HookState wanted,
                         std::optional<std::size_t> line) {
        CAPTURE(text);
        CHECK(find_yaml_hooks(text, hermes()).by_hand == line);
        CHECK(yaml_state(text, hermes(), "orphan-reaper") == wanted);
    };
    look(begin + "  - command: orphan-reaper sweep --detach\n", HookState::by_hand, 4);
    look(begin +
             "  - command: x\n    timeout: 1\n  - command: 'nice orphan-reaper sweep\n      "
             "--detach --from me'\n",
         HookState::by_hand, 6);
    look(begin + "  - timeout: 1\n    command: orphan-reaper sweep --detach\n", HookState::unclear,
         5);
    look("hooks:\n  on_session_finalize: [{command: \"orphan-reaper sweep --detach\"}]\n",
         HookState::unclear, 2);
    // Beside one of install, which stays what it is.
    const std::string both =
        begin + "  " + std::string(kItem) + "    timeout: 5\n  - command: x sweep --detach\n";
    look(both, HookState::installed, 6);
    look(begin + "  - command: my sweep\n  - command: run --detach\n", HookState::not_installed,
         {});
    look("hooks:\n  pre_tool_call:\n  - command: orphan-reaper sweep --detach\n",
         HookState::not_installed, {});
    look(begin + "  # orphan-reaper sweep --detach\n  - command: x\n", HookState::not_installed,
         {});
}

TEST_CASE("A hook of YAML that is not exactly that of install stays the only one") {
    const auto look = [](const std::string& text, HookState wanted) {
        CAPTURE(text);
        const HookPlace place{
            .host = &hermes(), .is_there = true, .file = {.path = "/c", .text = text}};
        const HookStatus status = hook_status(place, "orphan-reaper");
        CHECK(status.state == wanted);
        CHECK(status.remark.starts_with("line 3"));
        const auto installed = plan_hook_install(place, "orphan-reaper");
        REQUIRE(installed);
        CHECK(!installed->changes_file());
        CHECK(installed->is_left == (wanted != HookState::by_hand));
        const auto removed = plan_hook_remove(place);
        REQUIRE(removed);
        CHECK(!removed->changes_file());
        CHECK(removed->is_left);
        CHECK(removed->remark.find("line 3 of /c") != std::string::npos);
    };
    const std::string command = "orphan-reaper sweep --detach --after host --quiet --from hermes";
    const std::string begin = "hooks:\n  on_session_finalize:\n    ";
    const std::string end = "\n      timeout: 5\n";
    look(begin + "- command: \"" + command + " --min-age 5s\"" + end, HookState::by_hand);
    look(begin + "- command: \"" + command + "\" # why" + end, HookState::by_hand);
    look(begin + "- command: \"nice " + command + "\"" + end, HookState::by_hand);
    look(begin + "- command: " + command + "\n      timeout: 50\n", HookState::by_hand);
    look(begin + "- command: " + command + end + "      matcher: x\n", HookState::by_hand);
    look(begin + "- command: " + command + "\n", HookState::by_hand);
    look("a: 1\nhooks:\n  on_session_finalize: [{command: \"" + command + "\"}]\n",
         HookState::unclear);
    look("hooks:\n  on_session_start:\n    - command: " + command + end, HookState::unclear);
    const std::string late = "hooks:\n  on_session_finalize:\n    - timeout: 5\n      command: ";
    CHECK(yaml_state(late + command + "\n", hermes(), "orphan-reaper") == HookState::unclear);
    CHECK(yaml_state("# " + command + "\n", hermes(), "x") == HookState::not_installed);
    // The words in the text of another hook are no hook, and are not taken out.
    const std::string text =
        begin + "- command: |\n        - command: \"" + command + "\"\n          timeout: 5\n";
    CHECK(yaml_state(text, hermes(), "orphan-reaper") != HookState::installed);
    CHECK(remove_yaml_hooks(text, hermes(), std::nullopt) == text);
}
