#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "agent/report/report.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/agent/report/sample_report.hpp"

namespace reaper::agent {

namespace {

std::string golden(const std::string& name) {
    std::ifstream file(std::string(REAPER_TEST_DATA) + "/reports/" + name);
    REQUIRE(file.good());
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

bool is_printable(const std::string& text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return c == '\n' || (c >= 0x20 && c <= 0x7e); });
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::size_t lines_in(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("The text of a report, word by word") {
    for (const test::Sample& sample : test::all_samples()) {
        INFO(sample.name);
        CHECK(render_text(sample.report, {}) == golden(sample.name + ".txt"));
    }
    CHECK(render_explanation(test::two_leaked(), {}) == golden("explained.txt"));
    CHECK(render_prometheus(test::two_leaked()) == golden("two_leaked.prom"));
}

TEST_CASE("Nothing that a stranger wrote reaches a terminal as it is") {
    const Report report = test::hostile();
    RenderOptions verbose;
    verbose.verbose = true;
    CHECK(is_printable(render_text(report, {})));
    CHECK(is_printable(render_text(report, verbose)));
    CHECK(is_printable(render_explanation(report, {})));
    CHECK(is_printable(render_prometheus(report)));
    CHECK(is_printable(render_html(report)));
}

TEST_CASE("Quiet: silence when all is well, one line when it is not") {
    RenderOptions quiet;
    quiet.quiet = true;
    CHECK(render_text(test::nothing_leaked(), quiet).empty());
    CHECK(render_text(test::swept(), quiet).empty());
    CHECK(render_text(test::two_leaked(), quiet) == "2 leaked helpers, 182 MB would come back\n");
    CHECK(render_text(test::incomplete(), quiet) ==
          "nothing to end, but 1 helper to look at; not everything could be looked at: pid 5000 "
          "(bridge/headless): its "
          "stdin "
          "could not be looked at: permission denied\n");
    CHECK(render_text(test::refused(), quiet) ==
          "refused: 2 leaked helpers, none was touched: more than --max-kills 1\n");
    Report unwritten = test::refused();
    unwritten.max_kills = 256;
    unwritten.processes[0].outcome->detail = "cannot write the history: no space";
    CHECK(render_text(unwritten, quiet) ==
          "refused: 2 leaked helpers, none was touched: cannot write the history: no space\n");
}

TEST_CASE("Verbose tells all evidence of all processes") {
    RenderOptions verbose;
    verbose.verbose = true;
    CHECK(contains(render_text(test::two_leaked(), verbose),
                   "note listens.nothing: listens on no port"));
    const std::string text = render_text(test::hundred_leaked(), verbose);
    CHECK(contains(text, "   1100  bridge/headless"));
    CHECK_FALSE(contains(text, "more: --verbose"));
    CHECK(lines_in(render_text(test::hundred_leaked(), {})) < 60);
}

TEST_CASE("What failed is shown first, so that no cap hides it") {
    Report report = test::hundred_leaked();
    report.command = "sweep";
    for (ReportedProcess& process : report.processes)
        process = test::with(process, OutcomeResult::ended_on_term);
    report.processes[99] = test::with(test::orphan(1100), OutcomeResult::survived);
    conclude(report);
    const std::string text = render_text(report, {});
    CHECK(contains(text, "99 of 100 leaked helpers ended, 8.8 GB came back; 1 did not end"));
    CHECK(contains(text, "   1100  bridge/headless"));
    CHECK(contains(text, "run:  orphan-reaper explain 1100"));
}

TEST_CASE("Colour is there only when it is asked for") {
    RenderOptions color;
    color.color = true;
    CHECK(contains(render_text(test::two_leaked(), color), "\x1b[1m"));
    CHECK(contains(render_explanation(test::two_leaked(), color), "\x1b[1m"));
    for (const test::Sample& sample : test::all_samples())
        CHECK_FALSE(contains(render_text(sample.report, {}), "\x1b"));
}

TEST_CASE("A terminal of 20 columns is honoured: only a word that is longer goes beyond it") {
    RenderOptions narrow;
    narrow.width = 20;
    for (const std::string& text : {render_text(test::swept_partly(), narrow),
                                    render_explanation(test::two_leaked(), narrow)}) {
        std::istringstream lines(text.substr(0, text.find("\nrun:")));
        for (std::string line; std::getline(lines, line);) {
            const std::size_t words = line.find_first_not_of(' ');
            const bool one_word =
                words == std::string::npos || line.find(' ', words) == std::string::npos;
            INFO(line);
            CHECK((line.size() <= 20 || one_word));
        }
    }
}

TEST_CASE("Lines stay within the terminal") {
    RenderOptions narrow;
    narrow.width = 60;
    std::istringstream lines(render_text(test::swept_partly(), narrow));
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind("         ", 0) == 0) CHECK(line.size() <= 60);
    }
}

TEST_CASE("An interrupted sweep says so first") {
    Report report = test::swept_partly();
    report.interrupted = true;
    conclude(report);
    CHECK(render_text(report, {}).rfind("interrupted: 1 of 2 leaked helpers ended", 0) == 0);
}

TEST_CASE("What had TERM and not yet KILL is still ending, and not said to have had KILL") {
    ReportedProcess process = test::with(test::orphan(7), OutcomeResult::refused);
    process.outcome->signals = {Signal::terminate, Signal::resume};
    process.outcome->detail = "interrupted while ending; TERM had been sent";
    Report report = test::report_of("sweep", {process});
    conclude(report);
    CHECK(contains(render_text(report, {}),
                   "-> NOT ended: still ending after 41 ms, KILL was not sent (interrupted while"));
}

TEST_CASE(
    "What is started again after each end is counted apart from what a sweep ends, and says what "
    "does that") {
    ReportedProcess kept =
        test::with(test::process(5, policy::Verdict::abandoned, policy::Action::report),
                   OutcomeResult::refused);
    kept.judgement.evidence = {
        {"veto.respawns", policy::Weight::veto, "pid 77 (hermes gateway) started it again"}};
    const auto text_of = [&](std::vector<ReportedProcess> processes, const RenderOptions& options) {
        processes.push_back(kept);
        Report report = test::report_of("sweep", std::move(processes));
        conclude(report);
        CHECK(report.exit_status == ExitStatus::not_ended);
        return render_text(report, options);
    };
    RenderOptions quiet;
    quiet.quiet = true;
    CHECK(text_of({}, quiet) ==
          "nothing to end, but 1 helper to look at; 1 left alone: started again after each end; "
          "pid 5 "
          "(bridge/headless): NOT ended: refused, nothing was sent\n");
    const ReportedProcess ended = test::with(test::orphan(2), OutcomeResult::ended_on_term);
    CHECK(text_of({ended}, quiet) ==
          "1 leaked helper ended, 91 MB came back; 1 more to look at; 1 left alone: started again "
          "after each end; pid "
          "5 (bridge/headless): NOT ended: refused, nothing was sent\n");
    const ReportedProcess denied = test::with(test::orphan(3), OutcomeResult::denied);
    CHECK(text_of({ended, denied}, quiet) ==
          "1 of 2 leaked helpers ended, 91 MB came back; 1 more to look at; 1 did not end; 1 left "
          "alone: started again "
          "after each end; pid 3 (bridge/headless): NOT ended: not permitted\n");
    CHECK(contains(text_of({}, {}), "abandoned: pid 77 (hermes gateway) started it again\n"));
}

TEST_CASE("Quiet, the one line says why not everything could be looked at") {
    RenderOptions quiet;
    quiet.quiet = true;
    ReportedProcess unread = test::process(7, policy::Verdict::unknown, policy::Action::report);
    unread.judgement.evidence = {{"veto.unreadable.environment", policy::Weight::veto,
                                  "its environment could not be read (denied)"}};
    Report report = test::report_of("sweep", {unread});
    conclude(report);
    CHECK(contains(render_text(report, quiet),
                   "; not everything could be looked at: pid 7 (bridge/headless): its environment "
                   "could not be read (denied)\n"));
    report = test::report_of("sweep", {});
    report.complete = false;
    report.remarks = {"2 processes could not be read"};
    conclude(report);
    CHECK(render_text(report, quiet) ==
          "nothing leaked was found; not everything could be looked at: 2 processes could not be "
          "read\n");
}

TEST_CASE("What is merely too young is told where nothing leaked") {
    using policy::Weight;
    const auto young = [](int pid) {
        ReportedProcess one = test::process(pid, policy::Verdict::young, policy::Action::keep);
        one.judgement.evidence = {{"parent.adopter", Weight::for_kill, "parent is init (pid 1)"},
                                  {"veto.young", Weight::veto, "it is younger than 3m"}};
        return one;
    };
    const auto first_line_of = [](std::vector<ReportedProcess> processes) {
        Report report = test::report_of("report", std::move(processes));
        conclude(report);
        const std::string text = render_text(report, {});
        return text.substr(0, text.find('\n'));
    };
    CHECK(first_line_of({young(7)}) == "nothing leaked; 1 helper is too young to be judged");
    CHECK(first_line_of({young(7), young(8)}) ==
          "nothing leaked; 2 helpers are too young to be judged");
    CHECK(first_line_of({test::orphan(6), young(7)}) ==
          "1 leaked helper, 91 MB would come back; 1 helper is too young to be judged");
}

TEST_CASE("Words of the program itself do not reach people") {
    Report report = test::two_leaked();
    conclude(report);
    RenderOptions verbose;
    verbose.verbose = true;
    for (const std::string& text :
         {render_text(report, verbose), render_explanation(report, verbose), render_html(report)}) {
        CHECK_FALSE(contains(text, "for_kill"));
        CHECK_FALSE(contains(text, "identity"));
    }
}

TEST_CASE("What --max-kills forbids is not promised, and the command that would do it is told") {
    const auto text_of = [](Report report, std::size_t max_kills) {
        report.max_kills = max_kills;
        conclude(report);
        return render_text(report, {});
    };
    const std::string report = text_of(test::hundred_leaked(), 10);
    CHECK(
        report.starts_with("100 leaked helpers, a sweep would refuse: more than --max-kills 10\n"));
    CHECK(contains(report, "run:  orphan-reaper sweep --max-kills 100"));
    CHECK(text_of(test::dry_run(), 0)
              .starts_with("dry run: 1 leaked helper, a sweep would refuse: more than"));
    CHECK(contains(text_of(test::refused(), 1), "run:  orphan-reaper sweep --max-kills 2"));
    CHECK(contains(text_of(test::two_leaked(), 2), "run:  orphan-reaper sweep --max-kills 2"));
    CHECK_FALSE(contains(text_of(test::two_leaked(), 256), "--max-kills"));
    CHECK_FALSE(contains(text_of(test::swept(), 1), "--max-kills"));
}

TEST_CASE("Root, which could have looked at all users, is told whose helpers are well") {
    const auto first_line_of = [](std::vector<scanner::Uid> scope) {
        Report report = test::report_of("report", {});
        report.machine.uid = 0;
        report.uids = std::move(scope);
        conclude(report);
        const std::string text = render_text(report, {});
        return text.substr(0, text.find('\n'));
    };
    CHECK(first_line_of({0}) == "root: nothing leaked; no helper is running");
    CHECK(first_line_of({1000}) == "uid 1000: nothing leaked; no helper is running");
    CHECK(first_line_of({}) == "nothing leaked; no helper is running");
}

TEST_CASE("With more than one user, every line says whose helper it is") {
    Report report = test::two_leaked();
    report.uids.clear();
    CHECK(contains(render_text(report, {}), "~/.hermes/memos-plugin of u\n"));
}

TEST_CASE("Each reported verdict says what would end it") {
    using policy::Action;
    using policy::Verdict;
    const auto text_of = [](Verdict verdict) {
        Report report = test::report_of("report", {test::process(7, verdict, Action::report)});
        conclude(report);
        return render_text(report, {});
    };
    CHECK(contains(text_of(Verdict::abandoned), "'sweep --reap abandoned' would end it"));
    CHECK(contains(text_of(Verdict::duplicate), "'sweep --reap duplicate' would end"));
    CHECK(contains(text_of(Verdict::held), "'sweep --reap held' would end it"));
    CHECK(contains(text_of(Verdict::zombie), "its parent, pid 1, has to collect it"));
}

TEST_CASE("Advice fits what keeps a leak from being ended") {
    using policy::Action;
    using policy::Verdict;
    using policy::Weight;
    const auto text_of = [](ReportedProcess process, std::vector<std::string> report_only = {}) {
        Report report = test::report_of("report", {std::move(process)});
        report.report_only = std::move(report_only);
        conclude(report);
        RenderOptions wide;
        wide.width = 400;
        return render_text(report, wide);
    };
    const auto leak = [](Verdict verdict, std::vector<policy::Evidence> evidence) {
        ReportedProcess process = test::process(7, verdict, Action::report);
        process.judgement.evidence = std::move(evidence);
        return process;
    };
    const policy::Evidence inside{"unit.inside_service", Weight::against,
                                  "it sits inside x.service"};
    const policy::Evidence veto{"veto.traced", Weight::veto, "pid 9 traces it"};
    CHECK(contains(text_of(leak(Verdict::orphan, {inside})),
                   "'sweep --reap in-service' would end it"));
    CHECK(contains(text_of(leak(Verdict::held, {inside})),
                   "'sweep --reap held,in-service' would end it"));
    const std::string vetoed = text_of(leak(Verdict::orphan, {inside, veto}));
    CHECK(contains(vetoed, "veto.traced forbids"));
    CHECK_FALSE(contains(vetoed, "--reap"));
    CHECK_FALSE(contains(text_of(leak(Verdict::superseded, {})), "--reap"));
    const std::string unarmed = text_of(leak(Verdict::orphan, {inside}), {"bridge"});
    CHECK(contains(unarmed, R"({"families": {"bridge": {"actions": {"orphan": "reap"}}}})"));
    CHECK_FALSE(contains(unarmed, "--reap"));
    const std::string abandoned = text_of(leak(Verdict::abandoned, {}), {"bridge"});
    CHECK(contains(
        abandoned,
        R"(to end what is abandoned, put {"families": {"bridge": {"actions": {"abandoned": "reap"}}}})"));
}

TEST_CASE("What is left below a leaked host is told what has to end first") {
    using policy::Action;
    using policy::Verdict;
    using policy::Weight;
    ReportedProcess agent = test::process(7, Verdict::held, Action::report);
    agent.judgement.host = 5;
    agent.judgement.evidence = {{"host.leaked", Weight::note, "its host (pid 5) is leaked itself"}};
    ReportedProcess server = test::process(5, Verdict::orphan, Action::report);
    const auto text = [&] {
        Report report = test::report_of("report", {server, agent});
        conclude(report);
        RenderOptions wide;
        wide.width = 400;
        return render_text(report, wide);
    };
    CHECK(contains(text(), "it is left with its host (pid 5), which has to end first"));
    server.judgement.verdict = Verdict::abandoned;
    CHECK(contains(text(), "'sweep --dry-run --reap abandoned' tells whether it would end: pid 7"));
    server.judgement.evidence = {{"veto.descendant", Weight::veto, "pid 7 below it stays"}};
    CHECK(contains(text(), "its host (pid 5) is kept for it: if it hangs, end it yourself"));
}

TEST_CASE("No text says to end init, or what this report keeps") {
    ReportedProcess held = test::process(7, policy::Verdict::held, policy::Action::report);
    const auto text_of = [&held](std::vector<scanner::Pid> holders) {
        held.facts.standard_input.value.holders = std::move(holders);
        Report report = test::report_of("report", {held, test::daemon(5), test::orphan(6)});
        conclude(report);
        return render_text(report, {});
    };
    CHECK(contains(text_of({42, 43}), "ending what holds its stdin (pid 42, 43)"));
    CHECK(contains(text_of({6}), "ending what holds its stdin (pid 6)"));
    CHECK_FALSE(contains(text_of({1, 42}), "ending what holds"));
    CHECK_FALSE(contains(text_of({42, 5}), "ending what holds"));
    CHECK(contains(text_of({5}), "'sweep --reap held' would end it"));
    CHECK_FALSE(contains(text_of({}), "ending what holds"));
}

TEST_CASE("Where nothing was looked for, nothing is called clean") {
    Report report = test::report_of("report", {});
    report.families.clear();
    conclude(report);
    CHECK(report.exit_status == ExitStatus::clean);
    CHECK(contains(render_text(report, {}), "nothing was looked for: no family is enabled\n"));
}

TEST_CASE("What belongs to others was not looked at") {
    Report report = test::report_of("report", {});
    report.count.foreign = 300;
    CHECK(contains(render_text(report, {}), "looked at 12 processes of uid 1000"));
}

TEST_CASE("The HTML page carries nothing that a browser would run or fetch") {
    ReportedProcess process = test::orphan(7);
    process.judgement.home = "<script>alert('x')</script>\"&";
    Report report = test::report_of("report", {process});
    report.remarks = {"<img src=x>"};
    conclude(report);
    const std::string page = render_html(report);
    CHECK(contains(page, "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot;&amp;"));
    CHECK_FALSE(contains(page, "<script"));
    CHECK_FALSE(contains(page, "<img"));
    CHECK_FALSE(contains(page, "http://"));
    CHECK_FALSE(contains(page, "https://"));
    CHECK(contains(page, "1 leaked helper, 91 MB would come back</h1>"));
}

TEST_CASE("A label of a metric cannot break out of its quotes") {
    ReportedProcess process = test::orphan(7);
    process.judgement.family = "a\"b\\c\nd";
    Report report = test::report_of("report", {process});
    CHECK(contains(render_prometheus(report), R"(family="a\"b\\c\\x0ad")"));
}

}  // namespace reaper::agent
