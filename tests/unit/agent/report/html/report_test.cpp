#include "agent/report/report.hpp"

#include <memory>
#include <string>

#include "agent/report/history_view.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/agent/report/html/page_reader.hpp"
#include "tests/unit/agent/report/sample_report.hpp"

namespace reaper::agent {

namespace {

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

// Whatever the command, as hostile as the samples are.
std::vector<Report> all_reports() {
    std::vector<Report> reports = {test::hostile()};
    for (test::Sample& sample : test::all_samples()) reports.push_back(std::move(sample.report));
    for (const char* command : {"preflight", "explain", "sweep"}) {
        Report& report = reports.emplace_back(test::hostile());
        report.command = command;
        report.cleaning = true;
        report.others = report.processes;
        report.obstacles.emplace_back();
        report.obstacles[0].user = report.obstacles[0].detail = report.obstacles[0].help =
            report.remarks[0];
        report.obstacles[0].argv = report.remarks;
        report.files[0].judgement.remove = true;
        conclude(report);
    }
    return reports;
}

std::string page_with_past(const PastSweeps& past) {
    Report report = test::two_leaked();
    report.past = std::make_shared<const PastSweeps>(past);
    return render_html(report);
}

}  // namespace

TEST_CASE("A page is whole, leads nowhere else, and runs nothing, whatever is in it") {
    for (const Report& report : all_reports()) {
        const std::string page = render_html(report);
        const test::PageReader read(page);
        INFO(report.command << " " << page);
        CHECK(read.complaints.empty());
        CHECK(read.elements.at("h1") == 1);
        CHECK(read.elements.at("main") == 1);
        CHECK(read.elements.at("title") > 0);
        for (const char* name : {"script", "img", "link", "iframe", "object", "form", "base"})
            CHECK_FALSE(read.elements.contains(name));
        CHECK(contains(page, "content=\"default-src 'none'; style-src 'unsafe-inline'\""));
    }
}

TEST_CASE("However much there is, a page can be sent by mail") {
    const std::string words(3000, '"');
    Report report = test::report_of("preflight", {});
    for (scanner::Pid pid = 1; pid <= 4000; ++pid) {
        ReportedProcess process = test::orphan(pid);
        process.judgement.home = std::to_string(pid / 2) + words;
        process.judgement.host = pid % 50;
        process.judgement.evidence.assign(3, {words, policy::Weight::for_kill, words});
        process.facts.user = words;
        report.processes.push_back(process);
        report.obstacles.emplace_back();
        report.obstacles.back().detail = report.obstacles.back().help = words;
        report.obstacles.back().argv = {words};
        report.remarks.push_back(words);
        ReportedFile& file = report.files.emplace_back();
        file.judgement.remove = true;
        file.file.path = file.judgement.reason = words;
    }
    report.others = report.processes;
    report.cleaning = true;
    conclude(report);
    for (const char* command : {"preflight", "report"}) {
        report.command = command;
        const std::string page = render_html(report);
        CHECK(page.size() < 2'000'000);
        CHECK(test::PageReader(page).complaints.empty());
        CHECK(contains(page, "<li>and 3980 more</li>"));
    }
}

TEST_CASE("The style fetches nothing") {
    const std::string page = render_html(test::two_leaked());
    const std::string style = page.substr(page.find("<style>"), page.find("</style>"));
    CHECK_FALSE(contains(style, "@import"));
    CHECK_FALSE(contains(style, "@font-face"));
    CHECK_FALSE(contains(style, "url(h"));
    CHECK_FALSE(contains(style, "url(/"));
}

TEST_CASE("A page says who, when, what and what to type next") {
    const std::string page = render_html(test::two_leaked());
    CHECK(contains(page, "<title>2 leaked helpers, 182 MB would come back - box - orphan-reaper"));
    CHECK(contains(page, "<time datetime=\"2026-01-31T12:00:00Z\">2026-01-31 12:00 UTC</time>"));
    CHECK(contains(page, "<code class=\"type\">orphan-reaper sweep --dry-run</code>"));
    CHECK(contains(page, "<code class=\"type\">orphan-reaper sweep</code><span>end these 2"));
    CHECK(contains(page, "<a href=\"#leaked\">Leaked<b>2</b></a>"));
    CHECK(contains(page, "exit status 1: leaks were found and left"));
    const std::string limited = render_html([] {
        Report report = test::two_leaked();
        report.max_kills = 1;
        conclude(report);
        return report;
    }());
    CHECK(contains(limited, "sweep --max-kills 2</code>"));
    CHECK(contains(limited, "A sweep would refuse to end these"));
}

TEST_CASE("The page of a sweep says what ended and what did not") {
    const std::string page = render_html(test::swept_partly());
    CHECK(contains(page, "ended on TERM after 41 ms"));
    CHECK(contains(page, "<b class=\"pill failed\">did not end</b>"));
    CHECK(contains(page, "<b class=\"pill ended\">ended</b>"));
    CHECK_FALSE(contains(page, "<code class=\"type\">orphan-reaper sweep</code>"));
    CHECK(contains(page, "<code class=\"type\">orphan-reaper history</code>"));
    CHECK(contains(render_html(test::dry_run()), "Would be ended"));
}

TEST_CASE("The page of a preflight says what is in the way and what to do") {
    Report report = test::report_of("preflight", {});
    report.obstacles = {{policy::ObstacleKind::occupant,
                         {7, 8},
                         "u",
                         {"hermes", "--token", "s3cret"},
                         "it runs out of the install",
                         "kill 7",
                         false}};
    report.has_command = true;
    conclude(report);
    const std::string page = render_html(report);
    CHECK(contains(page, "not ready: 1 thing is in the way; the command was not started</h1>"));
    CHECK(contains(page, "A process would go on with the old version"));
    CHECK(contains(page, "pid 7, 8 of u"));
    CHECK(contains(page, "<b>What to do: </b>kill 7"));
    CHECK_FALSE(contains(page, "s3cret"));
    report.obstacles.clear();
    conclude(report);
    CHECK(contains(render_html(report), "ready: nothing is in the way of an update</h1>"));
}

TEST_CASE("The page of an explanation has all evidence open, and no tree") {
    Report report = test::two_leaked();
    report.command = "explain";
    const std::string page = render_html(report);
    CHECK(test::PageReader(page).elements.at("details") == 3);
    CHECK(contains(page, "<details open=\"open\">"));
    CHECK_FALSE(contains(page, "<details>"));
    CHECK_FALSE(contains(page, "id=\"tree\""));
    CHECK(contains(page, "3 processes explained</h1>"));
    report.processes.resize(1);
    CHECK(contains(render_html(report),
                   "pid 4000, bridge/daemon: kept, the daemon that must stay</h1>"));
    report.processes.clear();
    CHECK(contains(render_html(report), "none of these is a helper</h1>"));
}

TEST_CASE("The last sweep is told, or that there was none") {
    CHECK(contains(page_with_past({1000, std::chrono::hours(24), {}, {}}), "none recorded"));
    PastSweeps past{1769860800,
                    std::chrono::hours(14 * 24),
                    LastSweep{1769857200, 6, 290 << 20},
                    {{"2026-01-30", "bridge", 6, 0, 0, 0, 290 << 20}}};
    const std::string page = page_with_past(past);
    CHECK(contains(page, "1h 0m ago"));
    CHECK(contains(page, "6 helpers, 290 MB"));
    CHECK(contains(page, "<desc id=\"chart-d\">2026-01-30: 6. </desc>"));
    CHECK_FALSE(contains(render_html(test::two_leaked()), "Ended before"));
}

}  // namespace reaper::agent
