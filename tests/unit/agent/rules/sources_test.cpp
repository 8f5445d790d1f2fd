// Which files count, in which order, and which are no authority. The folders are values: nothing of
// this machine is read.
#include "agent/rules/sources.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

namespace reaper::agent {

namespace {

constexpr uid_t kStranger = 54321;

// Two folders of rules as they are when nothing is wrong.
struct Places {
    test::TemporaryFolder folder;
    RulePlaces places{{folder / "system", folder / "user"}, {}};

    void write(const std::string& name, const std::string& text) const {
        folder.write(name, text);
        mode(name, 0644);
        mode(name.substr(0, name.find('/')), 0755);
    }
    void mode(const std::string& name, mode_t mode) const {
        REQUIRE(::chmod((folder / name).c_str(), mode) == 0);
    }
    void give_away(const std::string& name) const {
        REQUIRE(::chown((folder / name).c_str(), kStranger, 0) == 0);
    }

    [[nodiscard]] std::vector<std::string> paths() const {
        const auto sources = read_rule_sources(places);
        INFO((sources ? "" : sources.error()));
        REQUIRE(sources);
        std::vector<std::string> paths;
        for (const RuleSource& source : *sources) paths.push_back(source.path);
        return paths;
    }
    // "" when the rules are taken.
    [[nodiscard]] std::string error() const {
        const auto sources = read_rule_sources(places);
        if (!sources) return sources.error();
        const auto rules = combine_rules(*sources);
        return rules ? "" : rules.error();
    }
};

const policy::FamilyRule& bridge(const policy::Rules& rules) {
    const auto found = std::ranges::find(rules.families, "bridge", &policy::FamilyRule::name);
    REQUIRE(found != rules.families.end());
    return *found;
}

std::string grace(const std::string& duration) {
    return R"({"families": {"bridge": {"grace": ")" + duration + R"("}}})";
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// Runs as root and as any other user: what only root can set up is left out otherwise.
bool is_root() {
    return ::geteuid() == 0;
}

}  // namespace

TEST_CASE("Folders that do not exist are fine, and then there are the built-in rules") {
    const Places places;
    CHECK(places.paths().empty());
    CHECK(combine_rules({}).value() == policy::built_in_rules());
}

TEST_CASE("Files are laid by folder and name, then --config, and the last one counts") {
    Places places;
    places.write("user/10.json", grace("41s"));
    places.write("system/20.json", grace("42s"));
    places.write("system/10.json", grace("43s"));
    places.write("system/9.json", "{}");
    CHECK(places.paths() == std::vector<std::string>{
                                places.folder / "system/10.json", places.folder / "system/20.json",
                                places.folder / "system/9.json", places.folder / "user/10.json"});
    const auto grace_now = [&] {
        return bridge(combine_rules(read_rule_sources(places.places).value()).value()).grace;
    };
    CHECK(grace_now() == std::chrono::seconds(41));
    places.write("config", grace("44s"));
    places.places.config = places.folder / "config";
    CHECK(places.paths().back() == places.folder / "config");
    CHECK(grace_now() == std::chrono::seconds(44));
    places.folder.remove("user/10.json");
    places.places.config.clear();
    CHECK(grace_now() == std::chrono::seconds(42));
    CHECK(bridge(combine_rules(read_rule_sources(places.places).value()).value()).origin ==
          places.folder / "system/20.json");
}

TEST_CASE("What is not called *.json is no rule file, whichever user wrote it") {
    const Places places;
    places.write("system/README", "no rules");
    places.write("system/10.json~", "no rules");
    places.write("system/10.json.dpkg-old", "no rules");
    places.write("system/.10.json", "no rules");
    places.write("system/sub/10.json", "no rules");
    places.mode("system/README", 0666);
    CHECK(places.paths().empty());
}

TEST_CASE("A file or folder that others can write, or wrote, stops everything") {
    Places places;
    places.write("system/10.json", grace("41s"));
    places.write("user/10.json", grace("42s"));
    places.write("config", grace("43s"));
    places.mode("config", 0600);
    places.places.config = places.folder / "config";
    REQUIRE(places.error().empty());
    for (const char* name : {"system", "user", "system/10.json", "user/10.json", "config"}) {
        const mode_t good = std::string(name).find('/') == std::string::npos ? 0755 : 0644;
        for (const mode_t bit : {mode_t{S_IWGRP}, mode_t{S_IWOTH}}) {
            places.mode(name, good | bit);
            const std::string error = places.error();
            INFO(error);
            CHECK(contains(error, places.folder / name));
            CHECK(contains(error, "can be written by others"));
            places.mode(name, good);
        }
        REQUIRE(places.error().empty());
        if (!is_root()) continue;
        places.give_away(name);
        CHECK(contains(places.error(),
                       places.folder / name + " belongs to user id 54321, not to you or root"));
        REQUIRE(::chown((places.folder / name).c_str(), 0, 0) == 0);
    }
}

TEST_CASE("A folder that is not trusted is not trusted when it is empty either") {
    const Places places;
    places.write("system/README", "");
    places.mode("system", 0777);
    CHECK(contains(places.error(), "can be written by others"));
}

TEST_CASE("Of a link, what it leads to has to be trusted") {
    const Places places;
    places.write("elsewhere/good.json", grace("41s"));
    places.write("elsewhere/bad.json", grace("42s"));
    places.mode("elsewhere/bad.json", 0666);
    places.write("system/README", "");
    places.folder.link("system/10.json", places.folder / "elsewhere/good.json");
    CHECK(places.error().empty());
    CHECK(places.paths() == std::vector<std::string>{places.folder / "system/10.json"});
    places.folder.link("system/20.json", places.folder / "elsewhere/bad.json");
    CHECK(contains(places.error(), "system/20.json can be written by others"));
    places.folder.remove("system/20.json");
    places.folder.link("user", places.folder / "elsewhere");
    places.mode("elsewhere/bad.json", 0644);
    CHECK(places.error().empty());
    places.mode("elsewhere", 0777);
    CHECK(contains(places.error(), "elsewhere can be written by others"));
}

TEST_CASE("A link that leads nowhere is no folder that does not exist, wherever on the way it is") {
    Places places;
    places.places.folders = {places.folder / "conf/orphan-reaper/rules.d"};
    places.write("mounted/orphan-reaper/rules.d/10.json", grace("41s"));
    for (const std::string& name :
         {std::string("conf"), std::string("conf/orphan-reaper"), places.places.folders[0]}) {
        const std::string link = name.starts_with('/') ? "conf/orphan-reaper/rules.d" : name;
        places.folder.write(link, "");  // makes the folders above it
        places.folder.remove(link);
        CHECK(places.paths().empty());
        for (const char* nowhere : {"/nowhere/on/earth", "nowhere"}) {
            places.folder.link(link, nowhere);
            CHECK(places.error() == places.folder / link + " is a link that leads nowhere");
            places.folder.remove(link);
        }
        places.folder.link(link, places.folder / link);
        CHECK(contains(places.error(), link + ": Too many levels"));
        places.folder.remove("conf");
    }
    places.folder.link("conf", "./x/../mounted");
    CHECK(contains(places.error(), "leads nowhere"));
    places.folder.write("x/y", "");
    CHECK(places.paths().size() == 1);
    places.folder.remove("mounted/orphan-reaper");
    CHECK(places.paths().empty());
}

TEST_CASE("No other user may be able to take a folder of rules away") {
    Places places;
    places.places.folders = {places.folder / "conf/orphan-reaper/rules.d"};
    places.write("conf/orphan-reaper/rules.d/10.json", grace("41s"));
    for (const char* name : {"conf", "conf/orphan-reaper"}) {
        for (const mode_t good : {0775U, 01777U, 0700U}) {
            places.mode(name, good);
            CHECK(places.paths().size() == 1);
        }
        places.mode(name, 0757);
        CHECK(places.error() ==
              places.folder / name + " can be written by others (chmod o-w would do)");
        places.mode(name, 0755);
        if (!is_root()) continue;
        places.give_away(name);
        CHECK(contains(places.error(),
                       places.folder / name + " belongs to user id 54321, not to you or root"));
        REQUIRE(::chown((places.folder / name).c_str(), 0, 0) == 0);
    }
    places.mode("conf", 0777);
    places.folder.remove("conf/orphan-reaper/rules.d");
    CHECK(contains(places.error(), "conf can be written by others"));
    places.folder.remove("conf/orphan-reaper");
    CHECK(places.paths().empty());
}

TEST_CASE("Of links on the way, all that they lead through counts") {
    Places places;
    places.places.folders = {places.folder / "conf/orphan-reaper/rules.d"};
    places.write("a/b/orphan-reaper/rules.d/10.json", grace("41s"));
    places.folder.link("a/link", "b/.");
    places.folder.link("conf", places.folder / "a/link");
    CHECK(places.paths().size() == 1);
    for (const char* name : {"a", "a/b"}) {
        places.mode(name, 0777);
        CHECK(contains(places.error(), places.folder / name + " can be written by others"));
        places.mode(name, 0755);
    }
    if (!is_root()) return;
    REQUIRE(::lchown((places.folder / "a/link").c_str(), kStranger, 0) == 0);
    CHECK(contains(places.error(), "a/link belongs to user id 54321"));
}

TEST_CASE("What cannot be read is not taken for absent") {
    Places places;
    places.write("system/README", "");
    const auto stops = [&](const std::string& what) {
        const std::string error = places.error();
        INFO(error);
        CHECK(contains(error, what));
        places.folder.remove("system/10.json");
        CHECK(places.error().empty());
    };
    places.folder.link("system/10.json", "/nowhere");
    stops("system/10.json: No such file");
    places.folder.link("system/10.json", "10.json");
    stops("system/10.json: Too many levels");
    places.folder.fifo("system/10.json");
    stops("system/10.json is no regular file");
    places.write("system/10.json/x", "");
    stops("system/10.json is no regular file");
    places.write("system/10.json", std::string(1024 * 1024 + 1, ' '));
    stops("system/10.json: File too large");
    places.places.config = places.folder / "none";
    CHECK(contains(places.error(), "none: No such file"));
    places.places.config.clear();
    places.folder.write("user", "a file");
    CHECK(contains(places.error(), "user: Not a directory"));
}

TEST_CASE(
    "A mistake is told with file, line and column, also where a later file would override it") {
    const Places places;
    places.write("system/10.json", "{\n \"famlies\": {}}");
    places.write("user/10.json", "{}");
    CHECK(places.error() ==
          places.folder /
              "system/10.json:2:2: \"famlies\" is not known here (did you mean 'families'?)");
}

TEST_CASE(
    "The user's own folder is where XDG says, and for root in root's home whatever the environment "
    "says") {
    const std::vector<std::string> folders = usual_rule_places("c").folders;
    CHECK(usual_rule_places("c").config == "c");
    REQUIRE(folders.size() == 2);
    CHECK(folders[0] == "/etc/orphan-reaper/rules.d");
    REQUIRE(::setenv("XDG_CONFIG_HOME", "/elsewhere", 1) == 0);
    const std::string own = usual_rule_places("").folders.at(1);
    REQUIRE(::setenv("XDG_CONFIG_HOME", "relative", 1) == 0);
    const std::string relative = usual_rule_places("").folders.at(1);
    REQUIRE(::unsetenv("XDG_CONFIG_HOME") == 0);
    CHECK(own == (is_root() ? folders[1] : "/elsewhere/orphan-reaper/rules.d"));
    CHECK(relative.front() == '/');
    CHECK(relative.ends_with("/.config/orphan-reaper/rules.d"));
}

}  // namespace reaper::agent
