// What another user's rule files do for a sweep: they protect that user's processes, or say why
// that is not known.
#include "agent/rules/per_user.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "agent/rules/sources.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

namespace reaper::agent {

namespace {

constexpr uid_t kStranger = 54321;
const std::string kFolder = ".config/orphan-reaper/rules.d";
const std::string kProtect = R"({"protect": [{"home": "/srv"}]})";

bool is_root() {
    return ::geteuid() == 0;
}

// The home of a user: of a stranger where that can be made, else one's own.
struct Home {
    test::TemporaryFolder folder;
    uid_t user = is_root() ? kStranger : ::geteuid();

    void give(const std::string& name, uid_t owner, mode_t mode) const {
        REQUIRE((!is_root() || ::lchown((folder / name).c_str(), owner, 0) == 0));
        REQUIRE(::chmod((folder / name).c_str(), mode) == 0);
    }
    void write(const std::string& name, const std::string& text) const {
        folder.write(kFolder + "/" + name, text);
        give(kFolder + "/" + name, user, 0644);
        give(kFolder, user, 0755);
    }
    void remove(const std::string& name) const { folder.remove(kFolder + "/" + name); }

    [[nodiscard]] policy::Rules rules() const {
        policy::Rules rules = policy::built_in_rules();
        add_rules_of_user(rules, user, folder.path());
        CHECK(rules.families == policy::built_in_rules().families);
        CHECK(rules.users_with_unreadable_rules.size() + rules.protect.size() <= 1);
        return rules;
    }
    // Why it is not known what is protected; "": it is.
    [[nodiscard]] std::string mistake() const {
        const policy::Rules all = rules();
        return all.users_with_unreadable_rules.contains(user)
                   ? all.users_with_unreadable_rules.at(user)
                   : "";
    }
};

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("A user without rules, or without a home, changes nothing") {
    const Home home;
    CHECK(home.rules() == policy::built_in_rules());
    for (const char* none : {"/nonexistent", "/dev/null"}) {
        policy::Rules rules = policy::built_in_rules();
        add_rules_of_user(rules, home.user, none);
        CHECK(rules == policy::built_in_rules());
    }
}

TEST_CASE(
    "A user's protect entries count for that user alone, and nothing else of such files does") {
    const Home home;
    home.write("10.json",
               R"({"families": {"bridge": {"enabled": false, "actions": {"held": "reap"}}},
                              "packs": ["agents"]})");
    CHECK(home.rules() == policy::built_in_rules());
    home.write("20.json", kProtect);
    home.write("30.json.off", "no rules");
    const policy::Rules rules = home.rules();
    const std::string origin = home.folder / kFolder + "/20.json";
    CHECK(rules.protect == std::vector<policy::ProtectRule>{{origin, {}, {}, "/srv", home.user}});
}

TEST_CASE("Entries that were there before stay those of all users") {
    const Home home;
    home.write("10.json", kProtect);
    policy::Rules rules = policy::built_in_rules();
    rules.protect = {{"site.json", {}, {}, "/home"}};
    add_rules_of_user(rules, home.user, home.folder.path());
    REQUIRE(rules.protect.size() == 2);
    CHECK_FALSE(rules.protect[0].uid);
    CHECK(rules.protect[1].uid == home.user);
}

TEST_CASE("With a mistake in one file none is known, and what stands there is not repeated") {
    const Home home;
    home.write("10.json", kProtect);
    for (const char* text :
         {"root:$6$secret:1::", R"({"secret": []})", R"({"protect": [{"home": "secret"}]})"}) {
        home.write("20.json", text);
        CHECK(home.mistake() == home.folder / kFolder + "/20.json has a mistake");
    }
}

TEST_CASE("What others own or can write is no word of the user") {
    const Home home;
    home.write("10.json", kProtect);
    for (const std::string& name : {kFolder, kFolder + "/10.json"}) {
        const mode_t good = name == kFolder ? 0755 : 0644;
        for (const mode_t bit : {mode_t{S_IWGRP}, mode_t{S_IWOTH}}) {
            home.give(name, home.user, good | bit);
            CHECK(contains(home.mistake(), home.folder / name + " can be written by others"));
        }
        home.give(name, kStranger + 1, good);
        if (is_root()) {
            CHECK(contains(home.mistake(),
                           name + " belongs to user id 54322, not to user id 54321 or root"));
        }
        home.give(name, 0, good);
        CHECK(home.rules().protect.size() == 1);
        home.give(name, home.user, good);
    }
}

TEST_CASE("What others can take away is no word of the user either") {
    const Home home;
    home.write("10.json", kProtect);
    for (const std::string& name :
         {std::string("."), std::string(".config"), std::string(".config/orphan-reaper")}) {
        for (const mode_t good : {0775U, 01777U, 0755U}) {
            home.give(name, home.user, good);
            CHECK(home.rules().protect.size() == 1);
        }
        home.give(name, home.user, 0757);
        CHECK(contains(home.mistake(), "can be written by others (chmod o-w would do)"));
        home.give(name, kStranger + 1, 0755);
        if (is_root())
            CHECK(
                contains(home.mistake(), "belongs to user id 54322, not to user id 54321 or root"));
        home.give(name, home.user, 0755);
    }
    home.give(".config", home.user, 0777);
    home.folder.remove(kFolder);
    CHECK(contains(home.mistake(), home.folder / ".config can be written by others"));
    home.folder.remove(".config/orphan-reaper");
    CHECK(home.rules() == policy::built_in_rules());
}

TEST_CASE("A home or folder that is a link to nowhere is not known to have no rules") {
    const Home home;
    home.folder.link("home", "/nowhere/on/earth");
    policy::Rules rules = policy::built_in_rules();
    add_rules_of_user(rules, home.user, home.folder / "home");
    CHECK(rules.users_with_unreadable_rules[home.user] ==
          home.folder / "home is a link that leads nowhere");
    for (const std::string& name :
         {std::string(".config"), std::string(".config/orphan-reaper"), kFolder}) {
        home.folder.write(name, "");
        home.folder.remove(name);
        home.folder.link(name, "/nowhere/on/earth");
        CHECK(contains(home.mistake(), "cannot read " + home.folder / kFolder));
        home.folder.remove(name);
    }
}

TEST_CASE("what users protect can be told elsewhere, and only that") {
    const Home home;
    home.write("10.json",
               R"({"protect": [{"home": "/srv", "exe": "/bin/x", "arguments": ["a", "b"]}]})");
    policy::Rules rules = home.rules();
    rules.protect.push_back({"site.json", {}, {}, "/everybody's"});
    rules.users_with_unreadable_rules[7] = "a reason";
    const scanner::Background background = background_of(rules);
    CHECK(background.protections.size() == 1);
    policy::Rules elsewhere = policy::built_in_rules();
    elsewhere.protect.push_back({"site.json", {}, {}, "/everybody's"});
    elsewhere = with_background(elsewhere, background);
    CHECK(elsewhere.users_with_unreadable_rules == rules.users_with_unreadable_rules);
    REQUIRE(elsewhere.protect.size() == 2);
    CHECK(elsewhere.protect[0] == rules.protect[1]);
    CHECK(elsewhere.protect[1] == rules.protect[0]);
    CHECK(with_background(rules, {}) == rules);
}

TEST_CASE("No link is followed, wherever it leads and whichever user made it") {
    const Home home;
    home.write("10.json", kProtect);
    home.folder.link(kFolder + "/20.json", home.folder / kFolder + "/10.json");
    CHECK(contains(home.mistake(), "/20.json"));
    home.remove("20.json");
    home.folder.link(kFolder + "/20.json", "/etc/shadow");
    CHECK(contains(home.mistake(), "/20.json"));
    home.remove("20.json");
    REQUIRE(home.mistake().empty());
    for (const std::string& name :
         {std::string(".config"), std::string(".config/orphan-reaper"), kFolder}) {
        REQUIRE(::rename((home.folder / name).c_str(), (home.folder / "moved").c_str()) == 0);
        home.folder.link(name, home.folder / "moved");
        CHECK(contains(home.mistake(), "cannot read " + home.folder / kFolder));
        home.folder.remove(name);
        REQUIRE(::rename((home.folder / "moved").c_str(), (home.folder / name).c_str()) == 0);
    }
    CHECK(home.rules().protect.size() == 1);
}

TEST_CASE("A user's files neither hold us up nor fill our memory") {
    const Home home;
    home.write("README", "");
    home.folder.fifo(kFolder + "/10.json");
    CHECK(contains(home.mistake(), "10.json is no regular file"));
    home.remove("10.json");
    const std::string half = kProtect + std::string(32 * 1024, ' ');
    home.write("10.json", half);
    CHECK(home.mistake().empty());
    home.write("20.json", half);
    CHECK(contains(home.mistake(), "20.json: File too large"));
    home.remove("20.json");
    for (int at = 0; at < 256; ++at) home.write(std::to_string(at) + ".json", "{}");
    CHECK(home.mistake().empty());
    home.write("one-too-many.json", "{}");
    CHECK(contains(home.mistake(), "has more than 256 rule files"));
}

TEST_CASE("The home is the one of the password file, and a user that is not in it has none") {
    CHECK(recorded_home(0).value() == "/root");
    CHECK(recorded_home(kStranger).value().empty());
}

}  // namespace reaper::agent
