#include "agent/hooks/json_hooks.hpp"

#include <random>

#include <nlohmann/json.hpp>

#include "agent/hooks/hosts.hpp"
#include "agent/hooks/plan.hpp"
#include "tests/support/catch.hpp"

using namespace reaper::agent;
using Json = nlohmann::ordered_json;

namespace {

// Makes settings with anything at all in them, laid out in any way.
class RandomSettings {
   public:
    explicit RandomSettings(unsigned seed) : engine_(seed) {}

    std::string make(const HookHost& host) {
        Json file = object(3);
        if (host.form == HookForm::handlers) file["version"] = 1;
        if (below(2) == 0) file["hooks"] = hooks(host);
        if (below(3) == 0) file["later"] = value(2);
        return laid_out(file);
    }

    std::string laid_out(const Json& file) {
        constexpr int kIndents[] = {-1, 0, 2, 4};
        const int indent = kIndents[below(4)];
        std::string text =
            below(4) == 0 ? file.dump(1, '\t') : file.dump(indent, ' ', below(2) == 0);
        text = with_blanks(text);
        return text + (below(2) == 0 ? "\n" : "");
    }

   private:
    std::size_t below(std::size_t sides) { return engine_() % sides; }

    std::string word() {
        constexpr const char* kWords[] = {"a",     "hooks", "SessionEnd", "sessionEnd", "{[\"",
                                          "\\\"}", "\n,",   "\xc3\xa9",   "command",    "//"};
        return kWords[below(10)];
    }

    Json value(std::size_t depth) {
        switch (below(depth == 0 ? 4 : 6)) {
            case 0: return word();
            case 1: return static_cast<int>(below(1000));
            case 2: return below(2) == 0;
            case 3: return 1.5;
            case 4: return list(depth - 1);
            default: return object(depth - 1);
        }
    }

    Json list(std::size_t depth) {
        Json made = Json::array();
        for (std::size_t size = below(4); size > 0; --size) made.push_back(value(depth));
        return made;
    }

    Json object(std::size_t depth) {
        Json made = Json::object();
        for (std::size_t size = below(4); size > 0; --size) {
            const std::string key = word();
            if (key != "hooks") made[key] = value(depth);
        }
        return made;
    }

    Json hooks(const HookHost& host) {
        Json made = Json::object();
        if (below(2) == 0) made["PreToolUse"] = list(2);
        if (below(2) == 0) {
            Json& event = made[std::string(host.event)] = Json::array();
            for (std::size_t size = below(3); size > 0; --size) event.push_back(entry(host));
        }
        return made;
    }

    Json entry(const HookHost& host) {
        const Json handler = {{"command", "notify-send done"}};
        if (host.form == HookForm::handlers) return handler;
        Json group = Json::object();
        if (below(2) == 0) group["matcher"] = word();
        group["hooks"] = below(3) == 0 ? Json::array() : Json::array({handler});
        return group;
    }

    // More blanks where blanks may be.
    std::string with_blanks(const std::string& text) {
        if (below(2) == 0) return text;
        constexpr const char* kBlanks[] = {" ", "  ", "\n", "\t", "\r\n"};
        constexpr std::string_view kMarks = "{}[],:";
        std::string made;
        bool in_string = false;
        for (std::size_t at = 0; at < text.size(); ++at) {
            made += text[at];
            if (in_string && text[at] == '\\') {
                made += text[++at];
                continue;
            }
            if (text[at] == '"') in_string = !in_string;
            if (!in_string && kMarks.find(text[at]) != std::string_view::npos && below(4) == 0)
                made += kBlanks[below(5)];
        }
        return made;
    }

    std::mt19937 engine_;
};

HookPlace place_of(const HookHost& host, const std::string& text) {
    return {.host = &host, .is_there = true, .file = {.path = "/f", .target = "/f", .text = text}};
}

// As the file system has it then.
HookPlace after(HookPlace place, const HookChange& change) {
    place.file.text = change.after;
    if (change.backup == HookChange::Backup::write) place.file.backup = change.backup_text;
    if (change.backup == HookChange::Backup::remove) place.file.backup.reset();
    return place;
}

}  // namespace

TEST_CASE("What install adds to any settings, remove takes out byte for byte") {
    constexpr const char* kHosts[] = {"claude-code", "codex", "gemini", "cursor"};
    for (unsigned seed = 0; seed < 2000; ++seed) {
        CAPTURE(seed);
        const HookHost& host = hook_host(kHosts[seed % 4]);
        RandomSettings random(seed);
        const std::string before = random.make(host);
        CAPTURE(before);
        const HookPlace place = place_of(host, before);
        const auto installed = plan_hook_install(place, "orphan-reaper");
        REQUIRE(installed);
        REQUIRE(installed->after);
        CAPTURE(*installed->after);
        const HookPlace with = after(place, *installed);
        CHECK(hook_status(with, "orphan-reaper").state == HookState::installed);
        CHECK(!plan_hook_install(with, "orphan-reaper")->changes_file());

        const auto removed = plan_hook_remove(with);
        REQUIRE(removed);
        CHECK(removed->after == before);
        CHECK(removed->backup == HookChange::Backup::remove);

        // Another program, and then back.
        const auto moved = plan_hook_install(with, "/opt/bin/orphan-reaper");
        REQUIRE(moved);
        CHECK(hook_status(after(with, *moved), "orphan-reaper").state == HookState::other_version);
        CHECK(plan_hook_remove(after(with, *moved))->after == before);

        // The host has written it anew, and the backup is or is not there.
        HookPlace rewritten = with;
        rewritten.file.text = random.laid_out(Json::parse(*installed->after));
        const auto taken = plan_hook_remove(rewritten);
        REQUIRE(taken);
        REQUIRE(taken->after);
        CHECK(Json::parse(*taken->after) == Json::parse(before));
        rewritten.file.backup.reset();
        const auto without = plan_hook_remove(rewritten);
        REQUIRE(without);
        CHECK(without->after.value_or("").find("--detach") == std::string::npos);
    }
}

TEST_CASE("A hook is added in the manner of the file") {
    const HookHost& host = hook_host("cursor");
    const auto added = [&](std::string_view text) {
        return add_json_hook(text, host, "x").value_or("refused");
    };
    CHECK(added("{\n\t\"version\": 1\n}\n") ==
          "{\n\t\"version\": 1,\n\t\"hooks\": {\n\t\t\"sessionEnd\": "
          "[\n\t\t\t{\n\t\t\t\t\"command\": "
          "\"x sweep --detach --after host --quiet --from cursor\"\n\t\t\t}\n\t\t]\n\t}\n}\n");
    CHECK(added("{\"version\":1,\"hooks\":{}}") ==
          "{\"version\":1,\"hooks\":{\"sessionEnd\":[{\"command\":\"x sweep --detach --after host "
          "--quiet --from cursor\"}]}}");
    CHECK(
        added("{\r\n    \"version\": 1,\r\n    \"hooks\": {\"sessionEnd\": []}\r\n}") ==
        "{\r\n    \"version\": 1,\r\n    \"hooks\": {\"sessionEnd\": [\r\n        {\r\n            "
        "\"command\": \"x sweep --detach --after host --quiet --from cursor\"\r\n        }\r\n    "
        "]}\r\n}");
}

TEST_CASE("What is not understood is refused") {
    const HookHost& host = hook_host("gemini");
    const auto refused = [&](std::string_view text) {
        const auto added = add_json_hook(text, host, "orphan-reaper");
        return added ? std::string("not refused") : added.error();
    };
    CHECK(refused("") == "is no JSON object that can be parsed");
    CHECK(refused("[]") == "is no JSON object that can be parsed");
    CHECK(refused("{\"a\": 1,}") == "is no JSON object that can be parsed");
    CHECK(refused(std::string("{}\0", 3)) == "is no JSON object that can be parsed");
    CHECK(refused("{} x") == "is no JSON object that can be parsed");
    CHECK(refused("{\"a\": \"\xff\"}") == "is no JSON object that can be parsed");
    CHECK(refused(std::string(200'000, '[')) == "is no JSON object that can be parsed");
    CHECK(refused("{} // mine") == "has comments, which a change could lose");
    CHECK(refused("{/* \"hooks\" */}") == "has comments, which a change could lose");
    CHECK(refused("{\"hooks\": []}") == "has \"hooks\" that are no object");
    CHECK(refused("{\"hooks\": {\"SessionEnd\": {}}}") == "has a \"SessionEnd\" that is no list");
    CHECK(refused("{\"hooks\": {}, \"hooks\": {}}") == "says \"hooks\" twice");
    CHECK(refused("{\"a\": 1, \"a\": 2}") == "not refused");
    CHECK(!add_json_hook("{}", hook_host("cursor"), "x"));
}

TEST_CASE("Only the hooks of this program for this host are its own") {
    const HookHost& host = hook_host("codex");
    for (const char* program : {"orphan-reaper", "/opt/orphan-reaper"})
        CHECK(program_of(host, hook_command(host, program)) == program);
    CHECK(program_of(host, hook_command(host, "x/orphan-reaper")).empty());
    CHECK(program_of(host, hook_command(host, "orphan-reaper") + " --min-age 10s").empty());
    for (const char* other :
         {"orphan-reaper sweep --detach --from codex-2", "orphan-reaper sweep --from codex",
          "my-orphan-reaper sweep --detach --from codex", "orphan-reaper report --from codex",
          "echo orphan-reaper sweep --detach --from codex", "", "orphan-reaper"})
        CHECK(program_of(host, other).empty());
}

TEST_CASE("A hook that was moved into a group of others is taken out alone") {
    const HookHost& host = hook_host("codex");
    const std::string own = hook_handler(host, "orphan-reaper").dump();
    const std::string other = "{\"type\":\"command\",\"command\":\"true\"}";
    const std::string begin = "{\"hooks\":{\"SessionEnd\":[{\"hooks\":[";
    for (const std::string& list :
         {own + "," + other, other + "," + own, own + "," + other + "," + own}) {
        CAPTURE(list);
        CHECK(remove_json_hooks(begin + list + "]}]}}", host, std::nullopt) ==
              begin + other + "]}]}}");
    }
}

TEST_CASE("A hook that a person has written or changed is never touched") {
    const HookHost& host = hook_host("claude-code");
    const Json own = hook_entry(host, "orphan-reaper");
    Json slower = own;
    slower["hooks"][0]["timeout"] = 20;
    Json later = own;
    later["hooks"][0]["command"] = hook_command(host, "orphan-reaper") + " --min-age 10s";
    Json matched = own;
    matched["matcher"] = "logout";
    Json wrapped = own;
    wrapped["hooks"][0]["command"] = "nice " + hook_command(host, "orphan-reaper");
    Json parts = own;
    parts["hooks"][0]["command"] = "/opt/orphan-reaper";
    parts["hooks"][0]["args"] = {"sweep", "--detach", "--from=claude-code"};
    for (const Json& entry : {slower, later, matched, wrapped, parts}) {
        Json file = {{"a", 1}};
        file["hooks"]["SessionEnd"] = Json::array({entry});
        const std::string text = file.dump(2);
        CAPTURE(text);
        const HookPlace place = place_of(host, text);
        const HookStatus status = hook_status(place, "orphan-reaper");
        CHECK(status.state == HookState::by_hand);
        CHECK(status.remark.starts_with("line "));
        const auto installed = plan_hook_install(place, "orphan-reaper");
        REQUIRE(installed);
        CHECK(!installed->changes_file());
        CHECK(installed->remark.find("by hand") != std::string::npos);
        CHECK(!installed->is_left);
        const auto removed = plan_hook_remove(place);
        REQUIRE(removed);
        CHECK(!removed->changes_file());
        CHECK(removed->is_left);
        CHECK(removed->remark.find("take it out by hand") != std::string::npos);
        // Beside one of install.
        file["hooks"]["SessionEnd"].push_back(own);
        const auto taken = plan_hook_remove(place_of(host, file.dump(2)));
        REQUIRE(taken);
        CHECK(taken->after == text);
        CHECK(taken->is_left);
    }
}

TEST_CASE("The line of a hook by hand is said, and only hooks count") {
    const HookHost& host = hook_host("codex");
    const std::string words = "orphan-reaper sweep --detach --quiet --from codex";
    const std::string text = "{\n\"a\": 1,\n\"hooks\": {\n\"Stop\": [\n\"" + words + "\"]}}";
    CHECK(find_json_hooks(text, host).by_hand == 5U);
    CHECK(find_json_hooks(text + " // mine", host).by_hand == 0U);
    CHECK(!find_json_hooks("{\"allow\": \"" + words + "\", \"hooks\": {}}", host).by_hand);
    CHECK(!find_json_hooks(text, hook_host("claude-code")).by_hand);
}

TEST_CASE("In the event of the host a hook counts whoever it says that it is from") {
    const auto found = [](std::string_view name, const std::string& text) {
        CAPTURE(name, text);
        const HookHost& host = hook_host(name);
        const auto line = find_json_hooks(text, host).by_hand;
        const bool is_strict = text.find("//") == std::string::npos;
        CHECK((json_state(text, host, "orphan-reaper") == HookState::by_hand) == line.has_value());
        const auto plan = plan_hook_install(place_of(host, text), "orphan-reaper");
        if (line && is_strict) CHECK((plan && !plan->changes_file()));
        return line;
    };
    const std::string example = "{\"command\": \"orphan-reaper sweep --detach\"}";
    const std::string other = "{\"command\": \"orphan-reaper sweep --detach --from me\"}";
    for (const std::string& hook : {example, other}) {
        const std::string group = "{\"hooks\": [\n1,\n" + hook + "]}";
        const std::string event = "{\"hooks\": {\n\"SessionEnd\": [\n" + group + "]}}";
        CHECK(found("claude-code", event) == 5U);
        CHECK(found("codex", event + " // mine") == 0U);
        CHECK(found("cursor", "{\"hooks\": {\n\"sessionEnd\": [\n" + hook + "]}}") == 3U);
        CHECK(found("gemini", "{\"hooks\": {\n\"SessionEnd\": [\n" + hook + "]}}") == 3U);
        CHECK(!found("codex", "{\"hooks\": {\"Stop\": [" + group + "]}}"));
        CHECK(!found("codex", "{\"hooks\": {\"Stop\": [" + group + "]}} // mine"));
        CHECK(!found("codex", "{\"SessionEnd\": [" + group + "]}"));
    }
    // The words of two hooks are none.
    CHECK(!found("codex",
                 "{\"hooks\": {\"SessionEnd\": [{\"hooks\": [{\"command\": \"my sweep\"}, "
                 "{\"command\": \"run --detach\"}]}]}}"));
}

TEST_CASE("Hooks that are switched off are not installed") {
    HookPlace place = place_of(hook_host("claude-code"), "{\"disableAllHooks\": true}");
    CHECK(hook_status(place, "orphan-reaper").state == HookState::not_installed);
    const auto installed = plan_hook_install(place, "orphan-reaper");
    REQUIRE(installed);
    CHECK(installed->remark.find("disableAllHooks") != std::string::npos);
    place = after(place, *installed);
    CHECK(hook_status(place, "orphan-reaper").state == HookState::off);
    place.file.text =
        std::string(*installed->after).replace(installed->after->find("true"), 4, "false");
    CHECK(hook_status(place, "orphan-reaper").state == HookState::installed);
}
