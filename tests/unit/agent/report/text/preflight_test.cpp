#include <string>

#include <nlohmann/json.hpp>

#include "agent/report/report.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/agent/report/sample_report.hpp"

namespace reaper::agent {

namespace {

using policy::Obstacle;
using policy::ObstacleKind;

const Obstacle kSession{ObstacleKind::occupant,
                        {7, 8},
                        "u",
                        {"hermes", "--token", "s3cret"},
                        "it runs",
                        "kill 7",
                        false};

Report preflight(std::vector<ReportedProcess> processes, std::vector<Obstacle> obstacles = {}) {
    Report report = test::report_of("preflight", std::move(processes));
    report.obstacles = std::move(obstacles);
    report.cleaning = true;
    return report;
}

std::string text_of(Report report, RenderOptions options = {}) {
    conclude(report);
    return render_preflight(report, options);
}

std::string first_line(const Report& report) {
    const std::string text = text_of(report);
    return text.substr(0, text.find('\n'));
}

ExitStatus status_of(Report report) {
    conclude(report);
    return report.exit_status;
}

ReportedFile stale(std::optional<RemovalResult> result) {
    ReportedFile file;
    file.file.path = "/h/gateway.pid";
    file.judgement.state = policy::FileState::stale;
    file.judgement.remove = true;
    if (result) file.removal = Removal{*result, {}};
    return file;
}

Report with_file(Report report, std::optional<RemovalResult> result) {
    report.files.push_back(stale(result));
    return report;
}

Report dry(Report report) {
    report.dry_run = true;
    return report;
}

const ReportedProcess kEnded = test::with(test::orphan(100), OutcomeResult::ended_on_term);
const ReportedProcess kSurvivor = test::with(test::orphan(100), OutcomeResult::survived);

}  // namespace

TEST_CASE("The first line says whether an update may begin, and what was done for it") {
    CHECK(first_line(preflight({})) == "ready: nothing is in the way of an update");
    CHECK(first_line(with_file(preflight({kEnded}), RemovalResult::removed)) ==
          "ready: nothing is in the way of an update; 1 leaked helper ended, 91 MB came back; 1 "
          "stale file removed");
    CHECK(first_line(preflight({}, {kSession})) == "not ready: 1 thing is in the way");
    CHECK(first_line(preflight({}, {kSession, kSession})) == "not ready: 2 things are in the way");
    CHECK(first_line(with_file(preflight({}), RemovalResult::failed)) ==
          "not ready: not everything could be done");
    CHECK(first_line(dry(with_file(preflight({test::orphan(100)}), std::nullopt))) ==
          "dry run: nothing else would be in the way of an update; 1 leaked helper would be ended; "
          "1 stale file would "
          "be removed");
    Report unseen = preflight({});
    unseen.complete = false;
    CHECK(first_line(unseen) == "not known to be ready: not everything could be looked at");
    unseen.interrupted = true;
    CHECK(first_line(unseen) == "interrupted: it is not known whether anything is in the way");
}

TEST_CASE("The exit status of preflight: 0 is ready, and nothing else is") {
    CHECK(status_of(preflight({kEnded})) == ExitStatus::clean);
    CHECK(status_of(preflight({kSurvivor}, {kSession})) == ExitStatus::not_ended);
    CHECK(status_of(with_file(preflight({}, {kSession}), RemovalResult::failed)) ==
          ExitStatus::not_ended);
    CHECK(status_of(preflight({}, {kSession})) == ExitStatus::blocked);
    Report unseen = preflight({});
    unseen.complete = false;
    CHECK(status_of(unseen) == ExitStatus::incomplete);
    CHECK(status_of(dry(preflight({}))) == ExitStatus::clean);
    CHECK(status_of(dry(preflight({test::orphan(100)}))) == ExitStatus::leaks_left);
    CHECK(status_of(dry(with_file(preflight({}), std::nullopt))) == ExitStatus::leaks_left);
    Report interrupted = preflight({});
    interrupted.interrupted = true;
    CHECK(status_of(interrupted) == ExitStatus::interrupted);
}

TEST_CASE(
    "What is in the way comes with its pids, user, command and help, and without its secrets") {
    const std::string text = text_of(preflight({}, {kSession}));
    for (const char* part : {"IN THE WAY", "occupant (pid 7, 8 of u)", "hermes --token [redacted]",
                             "it runs", "-> kill 7"}) {
        INFO(part);
        CHECK(text.find(part) != std::string::npos);
    }
    Report report = preflight({}, {kSession});
    conclude(report);
    const auto json = nlohmann::json::parse(render_json(report));
    CHECK(json["ready"] == false);
    CHECK(json["obstacles"] ==
          nlohmann::json::parse(R"([{"kind": "occupant", "pids": [7, 8], "user": "u", "unit": "",
        "argv": ["hermes", "--token", "[redacted]"], "detail": "it runs", "help": "kill 7"}])"));
    CHECK(render_json(report).find("s3cret") == std::string::npos);
    RenderOptions quiet;
    quiet.quiet = true;
    CHECK(text_of(preflight({}, {kSession}), quiet) == "not ready: 1 thing is in the way\n");
    CHECK(text_of(preflight({kEnded}), quiet).empty());
}

TEST_CASE("The words of a command that a gateway was started with are told") {
    const Obstacle gateway{ObstacleKind::gateways,
                           {7},
                           "u",
                           {"/h/bin/python", "-m", "hermes_cli.main", "gateway", "run", "s3cret"},
                           "2 gateways",
                           "kill 7",
                           false};
    const Report report = preflight({}, {gateway});
    CHECK(text_of(report).find("/h/bin/python -m hermes_cli.main gateway run [redacted]\n") !=
          std::string::npos);
    CHECK(render_json(report).find("\"gateway\",") != std::string::npos);
}

TEST_CASE("Where there is a command, it is said that it was not started") {
    const auto line = [](Report report) {
        report.has_command = true;
        return first_line(std::move(report));
    };
    CHECK(line(preflight({})) == "ready: nothing is in the way of an update");
    CHECK(line(preflight({}, {kSession})) ==
          "not ready: 1 thing is in the way; the command was not started");
    CHECK(line(dry(preflight({}))) ==
          "dry run: nothing else would be in the way of an update; the command was not started");
    Report unseen = preflight({});
    unseen.complete = false;
    unseen.has_command = true;
    unseen.remarks = {"no install was found"};
    RenderOptions quiet;
    quiet.quiet = true;
    CHECK(text_of(unseen, quiet) ==
          "not known to be ready: not everything could be looked at: no install was found; the "
          "command was not "
          "started\n");
}

TEST_CASE("What has no pid comes with its owner") {
    const Obstacle file{ObstacleKind::stale_file,  {},        "u",  {},
                        "/h/gateway.pid is stale", "sudo rm", false};
    CHECK(text_of(with_file(preflight({}, {file}), RemovalResult::failed))
              .find("  stale_file (of u)\n") != std::string::npos);
    Obstacle nobodys = kSession;
    nobodys.user.clear();
    CHECK(text_of(preflight({}, {nobodys})).find("  occupant (pid 7, 8)\n") != std::string::npos);
}

TEST_CASE("Whatever bytes an obstacle has, what is told of it is printable") {
    std::string all;
    for (int byte = 1; byte < 256; ++byte) all += static_cast<char>(byte);
    const Report report =
        preflight({}, {{ObstacleKind::occupant, {7}, all, {all, all}, all, all, false}});
    for (const char c : text_of(report)) REQUIRE((c == '\n' || (c >= 0x20 && c <= 0x7e)));
    CHECK(nlohmann::json::parse(render_json(report))["obstacles"].size() == 1);
}

}  // namespace reaper::agent
