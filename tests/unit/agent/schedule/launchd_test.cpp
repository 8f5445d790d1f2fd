// Jobs of launchd: rendered, planned and understood on every system. Only macOS has a launchctl(1)
// to ask, and what these tests say of it is from its manual and from reports.
#include "agent/schedule/launchd_job.hpp"

#include <algorithm>

#include "agent/schedule/carry_out.hpp"
#include "agent/schedule/launchd_plan.hpp"
#include "agent/schedule/plan.hpp"
#include "agent/schedule/trial.hpp"
#include "agent/schedule/view.hpp"
#include "tests/support/catch.hpp"

using namespace reaper::agent;

namespace {

using Lines = std::vector<std::string>;

const std::string kAgent = "/Users/alice/Library/LaunchAgents/orphan-reaper.sweep.plist";
const std::string kBrewFile = "/Users/alice/Library/LaunchAgents/homebrew.mxcl.orphan-reaper.plist";

const std::string kHead =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST "
    "1.0//EN\" "
    "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n"
    "<!-- Written by orphan-reaper schedule install -->\n";

Situation on_mac() {
    Situation found;
    found.launchd = true;
    found.program = "/opt/homebrew/bin/orphan-reaper";
    found.account = "alice";
    found.uid = 501;
    found.home = "/Users/alice";
    found.domain = "gui/501";
    found.crontab = "";
    return found;
}

Situation of_root() {
    Situation found = on_mac();
    found.is_root = found.of_system = true;
    found.domain = "system";
    return found;
}

// As after install.
Situation with_agent() {
    Situation found = on_mac();
    found.files[kAgent] = job_text(ScheduleKind::launch_agent, found, {});
    found.jobs["orphan-reaper.sweep"] = {.label = "orphan-reaper.sweep",
                                         .domain = "gui/501",
                                         .loaded = true,
                                         .path = kAgent,
                                         .command = "/opt/homebrew/bin/orphan-reaper sweep --quiet",
                                         .exit_status = 0};
    return found;
}

Lines lines_of(const std::vector<ScheduleStep>& steps) {
    Lines lines;
    for (ScheduleStep step : steps) {
        step.text.clear();
        std::string line = steps_text({step});
        line.pop_back();
        lines.push_back(line);
    }
    return lines;
}

Lines installed(const Situation& found, const ScheduleWish& wish) {
    const auto steps = plan_install(found, wish);
    return steps ? lines_of(*steps) : Lines{steps.error().text};
}

Lines removed(const Situation& found, const ScheduleWish& wish) {
    const auto steps = plan_remove(found, wish);
    return steps ? lines_of(*steps) : Lines{steps.error().text};
}

int refused(const Situation& found, const ScheduleWish& wish) {
    const auto steps = plan_install(found, wish);
    return steps ? 0 : steps.error().status;
}

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

CheckResult result_of(const Situation& found, const std::string& words, std::string_view id) {
    const auto checks = check_kind(found, ScheduleKind::launch_agent, words, 0);
    const auto check = std::ranges::find(checks, id, &ScheduleCheck::id);
    REQUIRE(check != checks.end());
    return check->result;
}

}  // namespace

TEST_CASE("The file of an agent is what launchd reads") {
    CHECK(job_text(ScheduleKind::launch_agent, on_mac(), {}) == kHead + R"(<plist version="1.0">
<dict>
	<key>Label</key>
	<string>orphan-reaper.sweep</string>
	<key>ProgramArguments</key>
	<array>
		<string>/opt/homebrew/bin/orphan-reaper</string>
		<string>sweep</string>
		<string>--quiet</string>
	</array>
	<key>StartInterval</key>
	<integer>300</integer>
	<key>RunAtLoad</key>
	<true/>
	<key>ProcessType</key>
	<string>Background</string>
	<key>LowPriorityIO</key>
	<true/>
	<key>StandardErrorPath</key>
	<string>/Users/alice/Library/Logs/orphan-reaper.log</string>
</dict>
</plist>
)");
}

TEST_CASE("A watch stays, a daemon runs as its user, and a report ends nothing") {
    const Situation found = on_mac();
    const std::string watch = job_text(ScheduleKind::launch_watch, found, {.watch = true});
    CHECK(
        has(watch, "<key>KeepAlive</key>\n\t<dict>\n\t\t<key>SuccessfulExit</key>\n\t\t<false/>"));
    CHECK(!has(watch, "StartInterval"));
    CHECK(command_of_job(watch) == "/opt/homebrew/bin/orphan-reaper watch");
    const std::string daemon = job_text(ScheduleKind::launch_daemon, of_root(), {.system = true});
    CHECK(has(daemon, "<string>orphan-reaper.sweep.alice</string>"));
    CHECK(has(daemon, "<key>UserName</key>\n\t<string>alice</string>"));
    CHECK(has(daemon, "<key>HOME</key>\n\t\t<string>/Users/alice</string>"));
    const ScheduleWish wish{.every = std::chrono::minutes(7), .report_only = true};
    const std::string report = job_text(ScheduleKind::launch_agent, found, wish);
    CHECK(has(report, "<integer>420</integer>"));
    CHECK(command_of_job(report) == "/opt/homebrew/bin/orphan-reaper report --quiet");
}

TEST_CASE("An agent outside of a login window says that it is not for that") {
    Situation found = on_mac();
    constexpr std::string_view kSession = "LimitLoadToSessionType</key>\n\t<string>Background";
    CHECK(!has(job_text(ScheduleKind::launch_agent, found, {}), kSession));
    found.domain = "user/501";
    CHECK(has(job_text(ScheduleKind::launch_agent, found, {}), kSession));
}

TEST_CASE("A name with letters of XML neither ends its element nor changes") {
    Situation found = on_mac();
    found.home = "/Users/a&b</string><key>";
    found.program = "/opt/a&b<c>/orphan-reaper";
    const std::string text = job_text(ScheduleKind::launch_agent, found, {});
    CHECK(has(text, "<string>/Users/a&amp;b&lt;/string&gt;&lt;key&gt;/Library/Logs"));
    CHECK(command_of_job(text) == "/opt/a&b<c>/orphan-reaper sweep --quiet");
}

TEST_CASE("A job is written, taken out as it was, switched on and loaded") {
    const Lines begin{"write " + kAgent};
    const Lines end{"run launchctl enable gui/501/orphan-reaper.sweep",
                    "run launchctl bootstrap gui/501 " + kAgent};
    Lines first = begin;
    first.insert(first.end(), end.begin(), end.end());
    CHECK(installed(on_mac(), {}) == first);
    Lines again = begin;
    again.push_back("run launchctl bootout gui/501/orphan-reaper.sweep");
    again.insert(again.end(), end.begin(), end.end());
    CHECK(installed(with_agent(), {}) == again);
    const auto steps = plan_install(with_agent(), {});
    REQUIRE(steps);
    CHECK((*steps)[1].may_fail);
    CHECK(!steps->back().may_fail);
    CHECK(steps->back().patience > std::chrono::seconds(20));
}

TEST_CASE("A job that another domain has is taken out of that") {
    Situation found = with_agent();
    found.jobs["orphan-reaper.sweep"].domain = "user/501";
    const auto lines = installed(found, {});
    CHECK(lines[1] == "run launchctl bootout user/501/orphan-reaper.sweep");
    CHECK(lines[3] == "run launchctl bootstrap gui/501 " + kAgent);
}

TEST_CASE("A second job beside that of brew services is refused") {
    Situation found = on_mac();
    found.files[kBrewFile] = "<plist>";
    for (const bool watch : {false, true}) {
        CHECK(refused(found, {.watch = watch}) == 3);
        CHECK(has(installed(found, {.watch = watch}).front(), "brew services stop orphan-reaper"));
    }
    found = on_mac();
    found.jobs["homebrew.mxcl.orphan-reaper"] = {.label = "homebrew.mxcl.orphan-reaper",
                                                 .loaded = true};
    CHECK(refused(found, {}) == 3);
    CHECK(removed(found, {}).empty());
    const auto entries = entries_of(found);
    REQUIRE(entries.size() == 1);
    CHECK(entries[0].kind == ScheduleKind::brew_service);
}

TEST_CASE("What macOS does not have is refused with what to do instead") {
    CHECK(refused(on_mac(), {.linger = true}) == 3);
    CHECK(has(installed(on_mac(), {.linger = true}).front(), "--system --user alice"));
    CHECK(refused(of_root(), {.task = "install", .system = true, .cron = true}) == 3);
    CHECK(refused(on_mac(), {.task = "install", .system = true}) == 2);
    Situation found = on_mac();
    found.user_trouble = "launchctl: timed out";
    CHECK(refused(found, {}) == 4);
    CHECK(!plan_remove(found, {}));
    CHECK(refused(found, {.cron = true}) == 0);
    found.crontab.reset();
    CHECK(refused(found, {.cron = true}) == 3);
    found = on_mac();
    found.refusal = "it is in a build folder";
    CHECK(refused(found, {}) == 3);
}

TEST_CASE("A plist that install has not written is neither overwritten nor removed") {
    Situation found = on_mac();
    found.files[kAgent] = "<?xml version=\"1.0\"?>\n<plist/>\n";
    CHECK(refused(found, {}) == 3);
    CHECK(has(installed(found, {}).front(), kAgent));
    CHECK(removed(found, {}).empty());
}

TEST_CASE("A removal takes the jobs out, and their files away") {
    CHECK(removed(on_mac(), {}).empty());
    const Lines agent{"run launchctl bootout gui/501/orphan-reaper.sweep", "remove " + kAgent};
    CHECK(removed(with_agent(), {}) == agent);
    CHECK(removed(with_agent(), {.watch = true}).empty());
    Situation found = with_agent();
    found.crontab = "# orphan-reaper begin\n* * * * * x\n# orphan-reaper end\n";
    CHECK(removed(found, {.cron = true}) == Lines{"run crontab -r"});
    CHECK(removed(found, {}).size() == 3);
    found = of_root();
    const std::string daemon = "/Library/LaunchDaemons/orphan-reaper.sweep.alice.plist";
    found.files[daemon] = job_text(ScheduleKind::launch_daemon, found, {});
    CHECK(removed(found, {.task = "remove", .system = true}) == Lines{"remove " + daemon});
}

TEST_CASE("The system's daemon is loaded into the domain of the system") {
    const ScheduleWish wish{.task = "install", .system = true};
    const std::string daemon = "/Library/LaunchDaemons/orphan-reaper.sweep.alice.plist";
    CHECK(installed(of_root(), wish) ==
          Lines{"write " + daemon, "run launchctl enable system/orphan-reaper.sweep.alice",
                "run launchctl bootstrap system " + daemon});
    CHECK(
        trial_command(of_root(), ScheduleKind::launch_daemon) ==
        Lines{"sudo", "-n", "-u", "alice", "/opt/homebrew/bin/orphan-reaper", "report", "--json"});
    CHECK(trial_command(on_mac(), ScheduleKind::launch_agent).front() ==
          "/opt/homebrew/bin/orphan-reaper");
}

TEST_CASE("What launchctl prints of a job is understood") {
    const JobState job = parse_job(R"(gui/501/orphan-reaper.sweep = {
	active count = 0
	path = /Users/alice/Library/LaunchAgents/orphan-reaper.sweep.plist
	type = LaunchAgent
	state = not running

	program = /opt/homebrew/bin/orphan-reaper
	arguments = {
		/opt/homebrew/bin/orphan-reaper
		sweep
		--quiet
	}

	inherited environment = {
		path = /nowhere
	}

	domain = gui/501 [100005]
	runs = 3
	last exit code = 1
	run interval = 300 seconds
}
)");
    CHECK(job.loaded);
    CHECK(job.path == kAgent);
    CHECK(job.command == "/opt/homebrew/bin/orphan-reaper sweep --quiet");
    CHECK(!job.running);
    CHECK(job.exit_status == 1);
}

TEST_CASE("What launchctl does not say is not known") {
    CHECK(parse_job("x = {\n\tlast exit code = 78: EX_CONFIG\n}\n").exit_status == 78);
    CHECK(!parse_job("x = {\n\tlast exit code = (never exited)\n}\n").exit_status);
    CHECK(parse_job("x = {\n\tstate = running\n}\n").running);
    for (const char* text :
         {"", "}", "\n\targuments = {\n", "\n\tpath = ", "\n\tlast exit code = "}) {
        const JobState job = parse_job(text);
        CHECK(job.loaded);
        CHECK(job.path.empty());
        CHECK(job.command.empty());
        CHECK(!job.exit_status);
    }
    const std::string list =
        "disabled services = {\n\t\"a\" => disabled\n\t\"b\" => true\n"
        "\t\"c\" => enabled\n}\n";
    CHECK(is_disabled(list, "a"));
    CHECK(is_disabled(list, "b"));
    CHECK(!is_disabled(list, "c"));
    CHECK(!is_disabled(list, "d"));
}

TEST_CASE("The state of a job is judged") {
    const std::string words = "sweep --quiet";
    CHECK(result_of(with_agent(), words, "unit") == CheckResult::ok);
    CHECK(result_of(with_agent(), words, "active") == CheckResult::ok);
    CHECK(result_of(with_agent(), "", "last") == CheckResult::ok);
    CHECK(exit_status_of(status_of(with_agent(), 0).checks) == ExitStatus::clean);

    Situation found = with_agent();
    JobState& job = found.jobs["orphan-reaper.sweep"];
    job.exit_status = 1;  // leaks are left
    CHECK(result_of(found, "", "last") == CheckResult::ok);
    job.exit_status = 4;
    CHECK(result_of(found, "", "last") == CheckResult::failed);
    job.command = "/elsewhere/orphan-reaper sweep --quiet";
    CHECK(result_of(found, words, "unit") == CheckResult::failed);
    job.disabled = true;
    CHECK(result_of(found, words, "active") == CheckResult::failed);
    job.loaded = false;
    CHECK(result_of(found, words, "unit") == CheckResult::failed);
    CHECK(!entries_of(found)[0].active);
    CHECK(status_of(on_mac(), 0).checks.front().id == "scheduled");
}

TEST_CASE("Two ways at once are told, with how to remove the second") {
    Situation found = with_agent();
    found.files[kBrewFile] = "<plist>";
    const auto view = status_of(found, 0);
    REQUIRE(view.entries.size() == 2);
    const auto several = std::ranges::find(view.checks, "several", &ScheduleCheck::id);
    REQUIRE(several != view.checks.end());
    CHECK(several->fix == "brew services stop orphan-reaper");
}
