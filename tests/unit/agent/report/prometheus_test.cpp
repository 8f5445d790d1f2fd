#include "agent/report/prometheus_totals.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/agent/report/sample_report.hpp"

namespace reaper::agent {

namespace {

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

Totals some() {
    Totals totals;
    totals.results["bridge"] = {{"ended_on_term", 3}, {"survived", 1}, {"already_gone", 9}};
    totals.reclaimed_bytes["bridge"] = 300;
    totals.respawns["bridge"] = 2;
    totals.refusals["kernel"] = 4;
    count(Run{"sweep", 1000.25, 1500, ExitStatus::clean, {}}, totals);
    count(Run{"sweep", 2000.5, 2500, ExitStatus::not_ended, {}}, totals);
    return totals;
}

}  // namespace

TEST_CASE("Counters have the family and the result, and nothing of a process") {
    const std::string text = render_totals_prometheus(some(), "1.2", "abc");
    for (const char* line : {
             "# TYPE orphan_reaper_ended_total counter\n",
             R"(orphan_reaper_ended_total{family="bridge",result="ended_on_term"} 3)",
             R"(orphan_reaper_ended_total{family="bridge",result="ended_on_kill"} 0)",
             R"(orphan_reaper_failed_total{family="bridge",result="survived"} 1)",
             R"(orphan_reaper_reclaimed_bytes_total{family="bridge"} 300)",
             R"(orphan_reaper_respawns_total{family="bridge"} 2)",
             R"(orphan_reaper_refusals_total{family="kernel"} 4)",
             R"(orphan_reaper_runs_total{command="sweep",exit_status="5"} 1)",
             R"(orphan_reaper_build_info{version="1.2",commit="abc"} 1)",
             R"(orphan_reaper_last_run_timestamp_seconds{command="sweep"} 2000.500)",
             R"(orphan_reaper_last_run_duration_seconds{command="sweep"} 2.500000)",
             R"(orphan_reaper_last_run_exit_status{command="sweep"} 5)",
             R"(orphan_reaper_last_success_timestamp_seconds{command="sweep"} 1000.250)",
         })
        CHECK(contains(text, line));
    CHECK_FALSE(contains(text, "already_gone"));
    CHECK(text.back() == '\n');
}

TEST_CASE("A report adds zeros for families that have ended nothing, and its own run") {
    Report report = test::two_leaked();
    CHECK_FALSE(contains(render_prometheus(report), "_total"));
    report.totals = some();
    const std::string text = render_prometheus(report);
    CHECK(contains(text,
                   R"(orphan_reaper_ended_total{family="slash_worker",result="ended_on_term"} 0)"));
    CHECK(contains(text, R"(orphan_reaper_respawns_total{family="slash_worker"} 0)"));
    CHECK(contains(text, R"(orphan_reaper_last_run_exit_status{command="report"} 1)"));
    CHECK(contains(text, R"(orphan_reaper_last_run_exit_status{command="sweep"} 5)"));
    CHECK(contains(
        text, R"(orphan_reaper_last_success_timestamp_seconds{command="report"} 1769860800.000)"));
    CHECK_FALSE(contains(text, "update_ready"));
}

TEST_CASE("Preflight says whether an update can begin, and what is in the way by kind") {
    Report report = test::report_of("preflight", {});
    report.obstacles.push_back({policy::ObstacleKind::occupant, {7}, "u", {}, "d", "h"});
    report.obstacles.push_back({policy::ObstacleKind::occupant, {8}, "u", {}, "d", "h"});
    conclude(report);
    const std::string text = render_prometheus(report);
    CHECK(contains(text, "orphan_reaper_update_ready 0\n"));
    CHECK(contains(text, "orphan_reaper_update_obstacles{kind=\"occupant\"} 2\n"));
    CHECK(contains(text, "orphan_reaper_stale_files 0\n"));
}

}  // namespace reaper::agent
