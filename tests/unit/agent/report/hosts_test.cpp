#include "agent/report/hosts.hpp"

#include <algorithm>

#include "tests/support/catch.hpp"
#include "tests/unit/agent/report/sample_report.hpp"

namespace reaper::agent {

namespace {

using policy::Action;
using policy::Verdict;

ReportedProcess helper(scanner::Pid pid, scanner::Pid host, std::uint64_t bytes,
                       Verdict verdict = Verdict::attached, Action action = Action::keep) {
    ReportedProcess made = test::process(pid, verdict, action);
    made.judgement.host = host;
    made.facts.rss_bytes = bytes;
    return made;
}

std::vector<scanner::Pid> pids_of(const std::vector<HostTally>& hosts) {
    std::vector<scanner::Pid> pids;
    pids.reserve(hosts.size());
    for (const HostTally& host : hosts) pids.push_back(host.pid);
    return pids;
}

std::size_t rows_in(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("Each helper counts for its host, and memory is what orders them") {
    std::vector<ReportedProcess> processes = {
        helper(1, 80, 10), helper(2, 80, 20, Verdict::duplicate, Action::report), helper(3, 90, 25),
        helper(4, 0, 5, Verdict::orphan, Action::reap), helper(5, 0, 1, Verdict::designated)};
    processes[1].judgement.family = "slash_worker";
    processes[2].facts.swap_bytes = 10;
    const auto hosts = tally_hosts(test::report_of("report", processes), {});
    CHECK(pids_of(hosts) == std::vector<scanner::Pid>{90, 80, 0});
    CHECK(hosts[0].rss_bytes == 25);
    CHECK(hosts[0].swap_bytes == 10);
    CHECK(hosts[1].helpers == 2);
    CHECK(hosts[1].leaked == 1);
    CHECK(hosts[1].families ==
          std::map<std::string, std::size_t>{{"bridge", 1}, {"slash_worker", 1}});
    CHECK(hosts[2].helpers == 2);
    CHECK(hosts[2].leaked == 1);
    CHECK(host_name(hosts[2]) == "(no host)");
    CHECK(host_name(hosts[0]) == "(not known)");
}

TEST_CASE("What is equal is in the order of pids and names") {
    const auto hosts = tally_hosts(
        test::report_of("report", {helper(1, 90, 5), helper(2, 80, 5), helper(3, 85, 5)}), {});
    CHECK(pids_of(hosts) == std::vector<scanner::Pid>{80, 85, 90});
    HostTally host;
    host.families = {{"b", 1}, {"c", 2}, {"a", 1}};
    CHECK(families_text(host) == "2 c, 1 a, 1 b");
}

TEST_CASE("A host is named by what is known of it, be it a helper itself or not") {
    scanner::Facts facts;
    facts.candidates.push_back(test::process(80, Verdict::attached, Action::keep).facts);
    facts.relatives.push_back(facts.candidates.front().row);
    facts.relatives.front().pid = 90;
    facts.relatives.front().comm = "a\x1b[2Jb";
    const auto hosts =
        tally_hosts(test::report_of("report", {helper(1, 80, 2), helper(2, 90, 1)}), facts);
    CHECK(host_name(hosts[0]) == "node");
    CHECK(hosts[0].argv.size() == 4);
    CHECK(host_name(hosts[1]) == "a\\x1b[2Jb");
}

TEST_CASE("Where there is no helper, no host is told of") {
    CHECK(tally_hosts(Report{}, {}).empty());
    CHECK(hosts_section(test::nothing_leaked(), {}).empty());
}

TEST_CASE("Ten hosts are listed, and all of them when asked for") {
    Report report = test::report_of("report", {});
    std::vector<ReportedProcess> processes;
    for (scanner::Pid pid = 1; pid <= 12; ++pid)
        processes.push_back(helper(pid, 100 + pid, static_cast<std::uint64_t>(pid)));
    report.hosts = tally_hosts(test::report_of("report", processes), {});
    const std::string text = hosts_section(report, {});
    CHECK(rows_in(text) == 2 + 10 + 1);
    CHECK(text.find("and 2 more") != std::string::npos);
    RenderOptions verbose;
    verbose.verbose = true;
    CHECK(rows_in(hosts_section(report, verbose)) == 2 + 12);
    RenderOptions narrow;
    narrow.width = 40;
    CHECK(rows_in(hosts_section(report, narrow)) == 2 + 10 * 3 + 1);
}

TEST_CASE("No report shows a secret in the command line of a host") {
    const Report report = test::sick_machine();
    for (const std::string& text : {render_text(report, {}), render_json(report),
                                    render_jsonl(report), render_html(report)}) {
        CHECK(text.find("hermes") != std::string::npos);
        CHECK(text.find("secret") == std::string::npos);
    }
}

}  // namespace reaper::agent
