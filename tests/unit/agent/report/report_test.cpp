#include "agent/report/report.hpp"

#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/unit/agent/report/sample_report.hpp"

namespace reaper::agent {

namespace {

using policy::Action;
using policy::Verdict;

using policy::kVerdicts;
constexpr OutcomeResult kResults[] = {
    OutcomeResult::ended_on_term, OutcomeResult::ended_on_kill, OutcomeResult::already_gone,
    OutcomeResult::changed,       OutcomeResult::denied,        OutcomeResult::survived,
    OutcomeResult::unkillable,    OutcomeResult::would_reap,    OutcomeResult::refused};

Report concluded(std::vector<ReportedProcess> processes) {
    Report report = test::report_of("sweep", std::move(processes));
    conclude(report);
    return report;
}

ExitStatus status_of(std::vector<ReportedProcess> processes) {
    return concluded(std::move(processes)).exit_status;
}

// The contract of design section 7, said in another way than the code says it.
ExitStatus expected_without_outcome(Verdict verdict) {
    switch (verdict) {
        case Verdict::orphan:
        case Verdict::superseded:
        case Verdict::abandoned:
        case Verdict::duplicate:
        case Verdict::held: return ExitStatus::leaks_left;
        default: return ExitStatus::clean;
    }
}

ExitStatus expected_of(OutcomeResult result) {
    switch (result) {
        case OutcomeResult::ended_on_term:
        case OutcomeResult::ended_on_kill:
        case OutcomeResult::already_gone: return ExitStatus::clean;
        case OutcomeResult::changed:
        case OutcomeResult::would_reap: return ExitStatus::leaks_left;
        default: return ExitStatus::not_ended;
    }
}

}  // namespace

TEST_CASE("What was only looked at: every verdict has its exit status") {
    for (const Verdict verdict : kVerdicts) {
        INFO(policy::to_string(verdict));
        CHECK(status_of({test::process(7, verdict, Action::report)}) ==
              expected_without_outcome(verdict));
        // A rule can say so of a leak, too; the report then says that nothing leaked.
        CHECK(status_of({test::process(7, verdict, Action::keep)}) == ExitStatus::clean);
    }
    CHECK(status_of({}) == ExitStatus::clean);
}

TEST_CASE("What was to be ended: every outcome of every verdict has its exit status") {
    for (const Verdict verdict : kVerdicts) {
        if (verdict == Verdict::unknown) continue;
        CHECK(status_of({test::process(7, verdict, Action::reap)}) == ExitStatus::leaks_left);
        for (const OutcomeResult result : kResults) {
            INFO(policy::to_string(verdict) << " " << to_string(result));
            CHECK(status_of({test::with(test::process(7, verdict, Action::reap), result)}) ==
                  expected_of(result));
        }
    }
}

TEST_CASE("Only what could not be read makes the report incomplete, not what proves nothing") {
    const auto unknown_for = [](const std::string& code) {
        ReportedProcess process = test::process(7, Verdict::unknown, Action::report);
        process.judgement.evidence = {
            {"parent.adopter", policy::Weight::for_kill, "parent is init (pid 1)"},
            {code, policy::Weight::veto, "it is so"}};
        return status_of({process});
    };
    for (const char* code : {"veto.unreadable.parent", "veto.unreadable.ancestors", "veto.home",
                             "veto.identity", "veto.ambiguous", "veto.no_handles"}) {
        INFO(code);
        CHECK(unknown_for(code) == ExitStatus::incomplete);
    }
    for (const char* code : {"no_proof", "veto.listens", "veto.homeless", "unreadable.parent"}) {
        INFO(code);
        CHECK(unknown_for(code) == ExitStatus::leaks_left);
    }
}

TEST_CASE("What lost its host and stays for want of proof is left, what never lost it is not") {
    ReportedProcess process = test::process(7, Verdict::unknown, Action::report);
    process.judgement.evidence = {
        {"veto.listens", policy::Weight::veto, "it listens on tcp 127.0.0.1:18800"}};
    CHECK(status_of({process}) == ExitStatus::clean);
    process.judgement.evidence.push_back(
        {"parent.adopter", policy::Weight::for_kill, "parent is init (pid 1)"});
    CHECK(status_of({process}) == ExitStatus::leaks_left);
    CHECK(status_of({test::with(process, OutcomeResult::already_gone)}) == ExitStatus::clean);
    for (const Verdict verdict : {Verdict::designated, Verdict::attached, Verdict::supervised,
                                  Verdict::young, Verdict::zombie, Verdict::foreign}) {
        process.judgement.verdict = verdict;
        CHECK(status_of({process}) == ExitStatus::clean);
    }
}

TEST_CASE("A process that came back has not ended") {
    ReportedProcess process = test::with(test::orphan(7), OutcomeResult::ended_on_term);
    process.outcome->respawned_as = 99;
    const Report report = concluded({process});
    CHECK(report.exit_status == ExitStatus::not_ended);
    CHECK(report.summary.failed == 1);
    CHECK_FALSE(is_ended(process));
}

TEST_CASE("The worst news wins") {
    const ReportedProcess left = test::orphan(1);
    ReportedProcess unknown = test::process(2, Verdict::unknown, Action::keep);
    unknown.judgement.evidence = {
        {"veto.unreadable.parent", policy::Weight::veto, "its parent could not be read"}};
    const ReportedProcess survived = test::with(test::orphan(3), OutcomeResult::survived);
    CHECK(status_of({left, unknown}) == ExitStatus::incomplete);
    CHECK(status_of({left, unknown, survived}) == ExitStatus::not_ended);
    Report report = test::report_of("sweep", {survived});
    report.interrupted = true;
    conclude(report);
    CHECK(report.exit_status == ExitStatus::interrupted);
    Report unread = test::report_of("report", {});
    unread.complete = false;
    conclude(unread);
    CHECK(unread.exit_status == ExitStatus::incomplete);
}

TEST_CASE("What is of other hosts is listed, and changes nothing else") {
    Report report = test::report_of("report", {});
    const std::string before = render_prometheus(report);
    report.others = {test::process(7, Verdict::orphan, Action::report),
                     test::process(8, Verdict::unknown, Action::report),
                     test::process(9, Verdict::attached, Action::keep)};
    report.others[1].judgement.evidence = {
        {"veto.unreadable.environment", policy::Weight::veto, "why"}};
    report.other_packs = {"agents"};
    conclude(report);
    CHECK(report.exit_status == ExitStatus::clean);
    CHECK(report.complete);
    CHECK(report.summary.matched == 0);
    CHECK(render_prometheus(report) == before);
    const std::string text = render_text(report, {});
    CHECK(text.find("OTHER HOSTS") != std::string::npos);
    CHECK(text.find("and 1 helper in use") != std::string::npos);
    CHECK(text.find("orphan-reaper report --with agents") != std::string::npos);
    const auto json = nlohmann::json::parse(render_json(report));
    CHECK(json["processes"].empty());
    CHECK(json["other_hosts"]["processes"].size() == 3);
    CHECK(json["other_hosts"]["in_use"] == 1);
    CHECK(render_jsonl(report).find(R"({"type":"other_host","pid":7,)") == 0);
    report.others.erase(report.others.begin(), report.others.begin() + 2);
    CHECK(render_text(report, {}).find("other hosts (agents): nothing leaked; 1 helper in use") !=
          std::string::npos);
}

TEST_CASE("Everything is counted once") {
    const Report report =
        concluded({test::daemon(1), test::with(test::orphan(2), OutcomeResult::ended_on_term),
                   test::with(test::orphan(3), OutcomeResult::ended_on_kill),
                   test::with(test::orphan(4), OutcomeResult::denied),
                   test::with(test::orphan(5), OutcomeResult::already_gone),
                   test::process(6, Verdict::held, Action::report)});
    const ReportSummary& summary = report.summary;
    CHECK(summary.matched == 6);
    CHECK(summary.to_reap == 4);
    CHECK(summary.reaped == 2);
    CHECK(summary.reported == 1);
    CHECK(summary.kept == 1);
    CHECK(summary.failed == 1);
    CHECK(summary.reclaimable_bytes == 4 * 95420416ULL);
    CHECK(summary.reclaimed_bytes == 2 * 95420416ULL);
}

TEST_CASE("Memory is what is in RAM and what is swapped out") {
    ReportedProcess process = test::with(test::orphan(7), OutcomeResult::ended_on_term);
    process.facts.rss_bytes = 1 << 20;
    process.facts.swap_bytes = 3 << 20;
    const Report report = concluded({process});
    CHECK(report.summary.reclaimable_bytes == 4 << 20);
    CHECK(report.summary.reclaimed_bytes == 4 << 20);
    const auto shows = [](const std::string& text, const char* part) {
        return text.find(part) != std::string::npos;
    };
    CHECK(shows(render_text(report, {}), " 4 MB  ~/"));
    CHECK(shows(render_explanation(report, {}), "4 MB of memory"));
    CHECK(shows(render_html(report), "<span class=\"size\">4 MB</span>"));
    CHECK(shows(render_json(report), "\"rss_bytes\": 1048576,\n      \"swap_bytes\": 3145728,"));
    const std::string labels = R"({family="bridge",verdict="orphan"} )";
    CHECK(shows(render_prometheus(report),
                ("orphan_reaper_memory_bytes" + labels + "4194304\n").c_str()));
    CHECK(shows(render_prometheus(report),
                ("orphan_reaper_resident_bytes" + labels + "1048576\n").c_str()));
}

TEST_CASE("Concluding twice changes nothing") {
    Report report = test::swept_partly();
    const ReportSummary before = report.summary;
    conclude(report);
    CHECK(report.summary.to_reap == before.to_reap);
    CHECK(report.summary.failed == before.failed);
}

}  // namespace reaper::agent
