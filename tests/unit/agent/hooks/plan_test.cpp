#include "agent/hooks/plan.hpp"

#include <nlohmann/json.hpp>

#include "agent/cli/option_table.hpp"
#include "agent/hooks/hosts.hpp"
#include "agent/hooks/module_file.hpp"
#include "agent/hooks/places.hpp"
#include "agent/hooks/view.hpp"
#include "tests/support/catch.hpp"

using namespace reaper::agent;

namespace {

HookPlace place_of(std::string_view host) {
    return {.host = &hook_host(host), .is_there = true, .file = {.path = "/h/f", .target = "/h/f"}};
}

}  // namespace

TEST_CASE("The hosts are those that can be typed") {
    REQUIRE(hook_hosts().size() == kHookHosts.size());
    for (std::size_t at = 0; at < kHookHosts.size(); ++at)
        CHECK(hook_hosts()[at].name == kHookHosts.at(at));
}

TEST_CASE("A file that was not there is made, and removed again") {
    for (const HookHost& host : hook_hosts()) {
        CAPTURE(host.name);
        HookPlace place = place_of(host.name);
        CHECK(!plan_hook_remove(place)->changes_file());
        const auto installed = plan_hook_install(place, "orphan-reaper");
        REQUIRE(installed);
        CHECK(installed->after == whole_file(host, "orphan-reaper"));
        CHECK(installed->backup == HookChange::Backup::keep);
        place.file.text = installed->after;
        CHECK(!plan_hook_install(place, "orphan-reaper")->changes_file());
        const auto moved = plan_hook_install(place, "/x/orphan-reaper");
        REQUIRE(moved);
        CHECK(moved->backup == HookChange::Backup::keep);
        for (const auto& text : {installed->after, moved->after}) {
            place.file.text = text;
            const auto removed = plan_hook_remove(place);
            REQUIRE(removed);
            CHECK(removed->changes_file());
            CHECK(!removed->after);
        }
    }
}

TEST_CASE("A file that was empty but for its braces stays") {
    HookPlace place = place_of("claude-code");
    place.file.text = "{ }\n";
    const auto installed = plan_hook_install(place, "orphan-reaper");
    REQUIRE(installed);
    place.file.text = installed->after;
    place.file.backup = installed->backup_text;
    CHECK(plan_hook_remove(place)->after == "{ }\n");
}

TEST_CASE("The folder of a plugin goes only where install has made it") {
    HookPlace place = place_of("opencode");
    place.file.has_folder = false;
    const auto installed = plan_hook_install(place, "orphan-reaper");
    REQUIRE(installed);
    CHECK(installed->makes_folder);
    place.file.has_folder = true;
    place.file.text = installed->after;
    CHECK(plan_hook_remove(place)->removes_folder);
    const auto moved = plan_hook_install(place, "/x/orphan-reaper");
    CHECK(has_own_folder(moved->after.value_or("")));
    place.file.text = module_text("orphan-reaper", false);
    CHECK(!plan_hook_remove(place)->removes_folder);
    place.file.text = "// mine\n";
    CHECK(!plan_hook_install(place, "orphan-reaper"));
    CHECK(!plan_hook_remove(place)->changes_file());
}

TEST_CASE("What must not be changed is not planned") {
    HookPlace place = place_of("codex");
    place.file.refusal = "belongs to user 7";
    CHECK(plan_hook_install(place, "x").error() == "codex: /h/f belongs to user 7");
    CHECK(!plan_hook_remove(place));
    place.file.refusal.clear();
    place.file.trouble = "cannot read it";
    CHECK(!plan_hook_install(place, "x"));
    CHECK(hook_status(place, "x").state == HookState::unknown);
    place.is_there = false;
    CHECK(plan_hook_install(place, "x").error().find("Codex is not here") != std::string::npos);
    CHECK(hook_status(place, "x").state == HookState::no_host);
}

TEST_CASE("Status says what install would refuse, and advises nothing then") {
    const auto text_of = [](const HookPlace& place, std::string_view program) {
        return render_hooks({.hosts = {hook_status(place, program)}});
    };
    HookPlace place = place_of("codex");
    CHECK(text_of(place, "x").find("-> orphan-reaper hooks install codex\n") != std::string::npos);
    for (const char* text : {"{} // mine", "{\"hooks\": []}", ""}) {
        place.file.text = text;
        CAPTURE(text);
        const HookStatus status = hook_status(place, "x");
        const std::string prefix = "codex: /h/f ";
        const auto plan = plan_hook_install(place, "x");
        REQUIRE(!plan);
        const std::string why = plan.error().substr(prefix.size());
        CHECK(status.remark.ends_with(why));
        CHECK(text_of(place, "x").find("->") == std::string::npos);
    }
    place = place_of("codex");
    place.file.refusal = "belongs to user 7";
    CHECK(hook_status(place, "x").remark == "install is refused: the file belongs to user 7");
    CHECK(hook_status(place, "x").state == HookState::not_installed);
    CHECK(render_hooks({.refusal = "it is in /tmp", .hosts = {hook_status(place_of("codex"), "")}})
              .find("->") == std::string::npos);
    place.file = {.path = "/h/f", .text = "not JSON"};
    CHECK(hook_status(place, "x").remark == "is no JSON object that can be parsed");
}

TEST_CASE("A backup that is left is replaced, or removed") {
    HookPlace place = place_of("codex");
    place.file.backup = "{\"old\": 1}";
    CHECK(plan_hook_install(place, "x")->backup == HookChange::Backup::remove);
    CHECK(plan_hook_remove(place)->backup == HookChange::Backup::remove);
    place.file.text = "{}";
    const auto installed = plan_hook_install(place, "x");
    CHECK(installed->backup == HookChange::Backup::write);
    CHECK(installed->backup_text == "{}");
    place.file.text = "{} // mine";
    CHECK(plan_hook_remove(place)->backup == HookChange::Backup::remove);
    CHECK(!plan_hook_remove(place)->changes_file());
}

TEST_CASE("A change is shown without what stays") {
    HookPlace place = place_of("gemini");
    place.file.text = "{\n  \"key\": \"secret\"\n}\n";
    const auto change = plan_hook_install(place, "orphan-reaper");
    REQUIRE(change);
    const std::string text = change_text(*change);
    CHECK(text.starts_with("change /h/f, in hooks.SessionEnd:\n  + {\n  +   \"matcher\""));
    CHECK(text.find("secret") == std::string::npos);
    CHECK(text.ends_with("  what it is now is kept in /h/f.before-orphan-reaper\n"));
}

TEST_CASE("Only the entry is shown, wherever the host has put it") {
    HookPlace place = place_of("claude-code");
    const std::string own = hook_entry(*place.host, "/old/orphan-reaper").dump();
    place.file.backup = "{\"key\":\"s3cret\"}";
    place.file.text = "{\n \"key\": \"s3cret\",\n \"hooks\": {\"SessionEnd\": [" + own + "]}}";
    const auto back = plan_hook_remove(place);
    REQUIRE(back);
    CHECK(back->after == place.file.backup);
    const std::string removed = change_text(*back);
    CHECK(removed.find("s3cret") == std::string::npos);
    CHECK(removed.find("  - {\n  -   \"hooks\": [\n") != std::string::npos);
    CHECK(removed.find("/old/orphan-reaper sweep") != std::string::npos);
    CHECK(removed.find("as they were before") != std::string::npos);
    // Two of them around another one.
    place.file.text =
        "{\"hooks\":{\"SessionEnd\":[" + own + ",{\"hooks\":[\"s3cret\"]}," + own + "]}}";
    const std::string replaced = change_text(*plan_hook_install(place, "orphan-reaper"));
    CHECK(replaced.find("s3cret") == std::string::npos);
    CHECK(replaced.find("  + {\n") != std::string::npos);
}

TEST_CASE("A file does not become larger than can be read again") {
    HookPlace place = place_of("codex");
    const std::string before(kMostOfHookFile - 12, 'x');
    place.file.text = "{\"a\":\"" + before + "\"}";
    REQUIRE(place.file.text->size() < kMostOfHookFile);
    const auto installed = plan_hook_install(place, "orphan-reaper");
    REQUIRE(!installed);
    CHECK(installed.error().find("larger than 1 MiB") != std::string::npos);
}

TEST_CASE("A plugin that a person has changed stays") {
    HookPlace place = place_of("opencode");
    std::string text = module_text("orphan-reaper", true);
    text.replace(text.find("\"--quiet\""), 9, "\"--min-age\", \"10s\"");
    place.file.text = text;
    CHECK(hook_status(place, "orphan-reaper").state == HookState::by_hand);
    CHECK(!plan_hook_install(place, "orphan-reaper")->changes_file());
    CHECK(!plan_hook_remove(place)->changes_file());
    CHECK(plan_hook_remove(place)->is_left);
    CHECK(asks_already(place));
    // The file is the hook, so it need not say who asks.
    place.file.text = "spawn(\"orphan-reaper\", [\"sweep\", \"--detach\"]);\n";
    CHECK(hook_status(place, "orphan-reaper").state == HookState::by_hand);
    place.file.text = "// mine\n";
    CHECK(!asks_already(place));
}

TEST_CASE("The status of all hosts is that of the worst") {
    const auto status = [](HookState state) {
        return HookStatus{.host = &hook_host("codex"), .state = state};
    };
    CHECK(exit_status_of({status(HookState::installed), status(HookState::no_host)}, false) ==
          ExitStatus::clean);
    CHECK(exit_status_of({status(HookState::no_host)}, true) == ExitStatus::leaks_left);
    CHECK(exit_status_of({status(HookState::other_version)}, false) == ExitStatus::leaks_left);
    CHECK(exit_status_of({status(HookState::not_installed), status(HookState::unknown)}, false) ==
          ExitStatus::incomplete);
    CHECK(exit_status_of({status(HookState::by_hand)}, true) == ExitStatus::clean);
    CHECK(exit_status_of({status(HookState::off)}, false) == ExitStatus::leaks_left);
    CHECK(exit_status_of({status(HookState::unclear)}, false) == ExitStatus::leaks_left);
}
