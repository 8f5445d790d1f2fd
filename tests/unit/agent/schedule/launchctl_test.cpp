// What macOS schedules by, found and changed through a stand-in for launchctl(1), which says how it
// differs from that. Runs inside a pid namespace of its own (tests/support/isolated).
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "agent/schedule/carry_out.hpp"
#include "agent/schedule/launchd_job.hpp"
#include "agent/schedule/manager.hpp"
#include "agent/schedule/plan.hpp"
#include "agent/schedule/program.hpp"
#include "agent/schedule/view.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

namespace reaper::agent {

namespace {

constexpr uid_t kNobody = 65534;

std::string text_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

// A user with a home, a login window and no jobs. Root looks up programs in the folders of the
// system alone, so that this is another one.
class Mac {
   public:
    Mac() : path_(std::getenv("PATH")) {
        folder_.write("bin/launchctl", text_of(REAPER_LAUNCHCTL));
        folder_.write("bin/crontab", "#!/bin/sh\necho no crontab for x >&2\nexit 1\n");
        folder_.write("launchd/gui", "");
        std::filesystem::create_directories(folder_ / "home");
        for (const char* program : {"bin/launchctl", "bin/crontab"})
            ::chmod((folder_ / program).c_str(), 0755);
        std::filesystem::permissions(folder_.path(), std::filesystem::perms(0755));
        for (const char* own : {"home", "launchd", "launchd/gui"})
            REQUIRE(::chown((folder_ / own).c_str(), kNobody, kNobody) == 0);
        ::setenv("HOME", home().c_str(), 1);
        ::setenv("LAUNCHD", (folder_ / "launchd").c_str(), 1);
        ::setenv("PATH", ((folder_ / "bin") + ":/usr/bin:/bin").c_str(), 1);
        REQUIRE(::setresuid(kNobody, kNobody, 0) == 0);
    }
    ~Mac() {
        REQUIRE(::setresuid(0, 0, 0) == 0);
        ::setenv("PATH", path_.c_str(), 1);
    }
    Mac(const Mac&) = delete;
    Mac& operator=(const Mac&) = delete;

    [[nodiscard]] std::string home() const { return folder_ / "home"; }
    [[nodiscard]] std::string agent() const {
        return home() + "/Library/LaunchAgents/orphan-reaper.sweep.plist";
    }
    void log_out() const { std::filesystem::remove(folder_ / "launchd/gui"); }
    void write(const std::string& name, const std::string& text) const {
        const std::string path = folder_ / name;
        std::filesystem::create_directories(std::filesystem::path(path).parent_path());
        std::ofstream(path) << text;
    }
    [[nodiscard]] bool is_loaded(const std::string& domain, const std::string& label) const {
        return std::filesystem::exists(folder_ / ("launchd/" + domain + "/" + label));
    }

   private:
    test::TemporaryFolder folder_;
    std::string path_;
};

// As of a program that may be scheduled; this test is in a build folder.
Situation look() {
    auto found = find_situation({});
    REQUIRE(found);
    found->program = "/usr/bin/true";
    found->refusal.clear();
    return *found;
}

bool install(const ScheduleWish& wish = {}) {
    const auto steps = plan_install(look(), wish);
    REQUIRE(steps);
    const auto done = carry_out(*steps, "/nowhere");
    INFO((done ? "" : describe(done.error())));
    return done.has_value();
}

bool remove() {
    const auto steps = plan_remove(look(), {});
    REQUIRE(steps);
    return carry_out(*steps, "/nowhere").has_value();
}

std::vector<CheckResult> results() {
    std::vector<CheckResult> all;
    for (const ScheduleCheck& check :
         check_kind(look(), ScheduleKind::launch_agent, "sweep --quiet", 0))
        all.push_back(check.result);
    return all;
}

const std::string kGui = "gui_65534";
const std::string kLabel = "orphan-reaper.sweep";

}  // namespace

TEST_CASE("An agent is installed, seen, installed again and removed") {
    const Mac mac;
    CHECK(look().domain == "gui/65534");
    CHECK(entries_of(look()).empty());
    for (int round = 0; round < 2; ++round) {
        REQUIRE(install());
        CHECK(mac.is_loaded(kGui, kLabel));
        struct stat status{};
        REQUIRE(::stat(mac.agent().c_str(), &status) == 0);
        CHECK((status.st_mode & 07777) == 0644);
        CHECK(entries_of(look()).size() == 1);
        for (const CheckResult result : results()) CHECK(result == CheckResult::ok);
    }
    REQUIRE(remove());
    CHECK_FALSE(mac.is_loaded(kGui, kLabel));
    CHECK_FALSE(std::filesystem::exists(mac.agent()));
    CHECK(entries_of(look()).empty());
}

TEST_CASE("A job that takes its time to end is waited for") {
    const Mac mac;
    REQUIRE(install());
    mac.write("launchd/busy", "3");
    REQUIRE(install());
    CHECK(mac.is_loaded(kGui, kLabel));
}

TEST_CASE("A job that was switched off is seen, and switched on by install") {
    const Mac mac;
    mac.write("launchd/gui_65534/orphan-reaper.sweep.off", "");
    CHECK(look().jobs[kLabel].disabled);
    REQUIRE(install());
    CHECK(mac.is_loaded(kGui, kLabel));
    CHECK_FALSE(look().jobs[kLabel].disabled);
}

TEST_CASE("Without a login window the agent is loaded into the domain of the user") {
    const Mac mac;
    mac.log_out();
    CHECK(look().domain == "user/65534");
    REQUIRE(install());
    CHECK(mac.is_loaded("user_65534", kLabel));
    CHECK(text_of(mac.agent()).find("Background</string>\n\t<key>Standard") != std::string::npos);
}

TEST_CASE("The job of brew services is seen, and no second one is made") {
    const Mac mac;
    mac.write("home/Library/LaunchAgents/homebrew.mxcl.orphan-reaper.plist",
              "<plist><array>\n<string>/opt/homebrew/bin/orphan-reaper</string>\n</array></plist>");
    const auto steps = plan_install(look(), {});
    REQUIRE_FALSE(steps);
    CHECK(steps.error().status == static_cast<int>(ExitStatus::configuration));
    CHECK(entries_of(look()).front().kind == ScheduleKind::brew_service);
}

TEST_CASE("A launchd that does not answer is not taken for one without jobs") {
    const Mac mac;
    ::setenv("PATH", "/nowhere", 1);
    const Situation found = look();
    CHECK_FALSE(found.user_trouble.empty());
    CHECK_FALSE(plan_install(found, {}));
    CHECK_FALSE(plan_remove(found, {}));
}

TEST_CASE("A program of Homebrew is left to brew services") {
    CHECK(refuse_cellar("/opt/homebrew/Cellar/orphan-reaper/0.2.0/bin/orphan-reaper")
              .find("brew services start orphan-reaper") != std::string::npos);
    CHECK(refuse_cellar("/usr/local/bin/orphan-reaper").empty());
}

}  // namespace reaper::agent
