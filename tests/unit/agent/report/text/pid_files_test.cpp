#include <string>

#include <nlohmann/json.hpp>

#include "agent/report/report.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/agent/report/sample_report.hpp"

namespace reaper::agent {

namespace {

using policy::FileState;

ReportedFile file(const std::string& name, FileState state, bool remove) {
    ReportedFile made;
    made.file.kind = scanner::ClaimKind::gateway_pid;
    made.file.path = "/home/u/.hermes/" + name;
    made.judgement.state = state;
    made.judgement.remove = remove;
    made.judgement.reason = "because";
    made.judgement.evidence = {{"pid.gone", policy::Weight::for_kill, "because"}};
    return made;
}

Report report_on(std::vector<ReportedFile> files, bool cleaning = false) {
    Report report = test::report_of("pidfiles", {});
    report.files = std::move(files);
    report.cleaning = cleaning;
    return report;
}

ReportedFile with(ReportedFile file, RemovalResult result) {
    file.removal = Removal{result, ""};
    return file;
}

std::string first_line(Report report) {
    conclude(report);
    const std::string text = render_pid_files(report, {});
    return text.substr(0, text.find('\n'));
}

ExitStatus status_of(Report report) {
    conclude(report);
    return report.exit_status;
}

const ReportedFile kStale = file("gateway.pid", FileState::stale, true);
const ReportedFile kLive = file("live.pid", FileState::live, false);

ReportedFile paused() {
    ReportedFile one = file("gateway.pid", FileState::stale, false);
    one.judgement.paused = true;
    return one;
}

}  // namespace

TEST_CASE("The first line says what is in the way, or what became of it") {
    CHECK(first_line(report_on({})) == "no pid or lock file was found");
    CHECK(first_line(report_on({kLive})) == "nothing stale among 1 file");
    CHECK(first_line(report_on({kLive, kStale})) == "1 stale file, 2 in all");
    CHECK(first_line(report_on({paused()}, true)) ==
          "an update is running: 1 stale file left alone");
    CHECK(first_line(report_on({with(kStale, RemovalResult::removed)}, true)) ==
          "1 stale file removed");
    CHECK(first_line(report_on(
              {with(kStale, RemovalResult::removed), with(kStale, RemovalResult::failed)}, true)) ==
          "1 of 2 stale files removed");
    Report dry = report_on({kStale}, true);
    dry.dry_run = true;
    CHECK(first_line(dry) == "dry run: 1 stale file would be removed");
}

TEST_CASE("The exit status of pidfiles") {
    CHECK(status_of(report_on({kLive})) == ExitStatus::clean);
    CHECK(status_of(report_on({kStale})) == ExitStatus::leaks_left);
    CHECK(status_of(report_on({paused()})) == ExitStatus::leaks_left);
    CHECK(status_of(report_on({paused()}, true)) == ExitStatus::blocked);
    for (const RemovalResult done : {RemovalResult::removed, RemovalResult::gone,
                                     RemovalResult::changed, RemovalResult::locked})
        CHECK(status_of(report_on({with(kStale, done)}, true)) == ExitStatus::clean);
    for (const RemovalResult not_done : {RemovalResult::failed, RemovalResult::refused})
        CHECK(status_of(report_on({with(kStale, not_done)}, true)) == ExitStatus::not_ended);
    ReportedFile unread = kLive;
    unread.judgement.unread = true;
    CHECK(status_of(report_on({unread, with(kStale, RemovalResult::removed)}, true)) ==
          ExitStatus::incomplete);
}

TEST_CASE("Every file is listed, the stale ones first and with the command that helps") {
    Report report = report_on({kLive, kStale});
    conclude(report);
    RenderOptions options;
    options.verbose = true;
    const std::string text = render_pid_files(report, options);
    CHECK(text.find("gateway.pid") < text.find("live.pid"));
    CHECK(text.find("gateway, stale: because") != std::string::npos);
    CHECK(text.find("stale pid.gone: because") != std::string::npos);
    CHECK(text.find("orphan-reaper pidfiles --clean") != std::string::npos);
    CHECK(text.ends_with("exit status 1: stale files were found and left\n"));
    options.quiet = true;
    CHECK(render_pid_files(report, options) == "1 stale file, 2 in all\n");
    report = report_on({kLive});
    conclude(report);
    CHECK(render_pid_files(report, options).empty());
}

TEST_CASE("Quiet, the one line says why not all is well") {
    RenderOptions quiet;
    quiet.quiet = true;
    const auto line = [&](Report report) {
        conclude(report);
        return render_pid_files(report, quiet);
    };
    ReportedFile unread = kLive;
    unread.judgement.unread = true;
    unread.judgement.reason = "it could not be read";
    CHECK(line(report_on({kLive, unread}, true)) ==
          "nothing stale among 2 files; not everything could be looked at: "
          "/home/u/.hermes/live.pid: it could not be "
          "read\n");
    Report folder = report_on({}, true);
    folder.complete = false;
    folder.remarks = {"/home/u/.hermes could not be read"};
    CHECK(line(folder) ==
          "no pid or lock file was found; not everything could be looked at: /home/u/.hermes could "
          "not be read\n");
    ReportedFile locked = with(kStale, RemovalResult::failed);
    locked.removal->detail = "another process has locked it";
    CHECK(
        line(report_on({locked}, true)) ==
        "0 of 1 stale file removed; /home/u/.hermes/gateway.pid: another process has locked it\n");
}

TEST_CASE("Whatever bytes a file and its process have, the report of it is printable") {
    Report report = test::hostile();
    report.command = "pidfiles";
    RenderOptions options;
    options.verbose = true;
    for (const char c : render_pid_files(report, options)) {
        REQUIRE((c == '\n' || (c >= 0x20 && c <= 0x7e)));
    }
    const auto json = nlohmann::json::parse(render_json(report));
    REQUIRE(json["pidfiles"].size() == 1);
    CHECK(json["pidfiles"][0]["outcome"]["result"] == "failed");
    CHECK(json["pidfiles"][0]["mode"] == "0000");
}

}  // namespace reaper::agent
