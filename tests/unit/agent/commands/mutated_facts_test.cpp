// Facts files that contradict themselves are refused, by place; and if they were not, judging them
// would still be safe.
#include <fstream>
#include <sstream>

#include "agent/redaction/facts_file.hpp"
#include "scanner/model/facts_check.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/facts_builder.hpp"
#include "tests/support/judged_facts.hpp"
#include "tests/support/mutated_facts.hpp"
#include "tests/support/temporary_folder.hpp"

namespace reaper::test {

namespace {

using scanner::Record;

std::string golden() {
    std::ifstream file(std::string(REAPER_TEST_DATA) + "/facts/machine.json");
    REQUIRE(file.good());
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

template <class Change>
std::string mistake_after(Change change) {
    Record facts = scanner::facts_from_json(golden()).value();
    REQUIRE(scanner::check(facts));
    change(facts);
    const auto checked = scanner::check(facts);
    REQUIRE_FALSE(checked);
    CHECK(checked.error().code == std::errc::invalid_argument);
    CHECK_FALSE(judge_and_report(facts, policy::built_in_rules()).empty());
    CHECK(is_plan_sound(facts, policy::built_in_rules()));
    return checked.error().subject;
}

}  // namespace

TEST_CASE("facts that contradict themselves are refused, and the place is named") {
    CHECK(mistake_after([](Record& f) { f.candidates[0].identity.pid = 101; }) ==
          "candidates[0].identity.pid (expected the pid of its row)");
    CHECK(mistake_after([](Record& f) { f.candidates[1].identity.start_ticks = 7; }) ==
          "candidates[1].identity.start_ticks (expected the start of its row, or 0)");
    CHECK(mistake_after([](Record& f) { f.candidates[2] = f.candidates[1]; }) ==
          "candidates[2].row.pid (expected each pid once, in order)");
    CHECK(mistake_after([](Record& f) {
              std::swap(f.candidates[0], f.candidates[1]);
          }).starts_with("candidates[1]"));
    CHECK(mistake_after([](Record& f) { f.relatives[1].pid = 1; }).starts_with("relatives[1]."));
    CHECK(
        mistake_after([](Record& f) { f.relatives[0].ppid = 1; }).starts_with("relatives[0].ppid"));
    CHECK(mistake_after([](Record& f) {
              f.candidates[0].row.pid = 0;
          }).starts_with("candidates[0].row.pid"));
    CHECK(mistake_after([](Record& f) {
              f.candidates[0].row.state = '\n';
          }).starts_with("candidates[0].row.state"));
    CHECK(mistake_after([](Record& f) {
              f.candidates[0].row.threads = -1;
          }).starts_with("candidates[0].row.threads"));
    CHECK(mistake_after([](Record& f) {
              f.candidates[0].row.session = -2;
          }).starts_with("candidates[0].row.session"));
    CHECK(mistake_after([](Record& f) {
              f.candidates[0].rss_bytes = ~0ULL;
          }).starts_with("candidates[0].rss_bytes"));
    CHECK(mistake_after([](Record& f) {
              f.candidates[0].swap_bytes = ~0ULL;
          }).starts_with("candidates[0].swap_bytes"));
    CHECK(mistake_after([](Record& f) {
              f.candidates[0].cpu_seconds = 1e308;
          }).starts_with("candidates[0].cpu_s"));
    CHECK(mistake_after([](Record& f) {
              f.candidates[0].cpu_seconds = -1;
          }).starts_with("candidates[0].cpu_s"));
    CHECK(mistake_after([](Record& f) {
              f.candidates[0].tracer.value = -2;
          }).starts_with("candidates[0].tracer"));
    CHECK(mistake_after([](Record& f) {
              f.candidates[0].namespace_pids.value = {0};
          }).starts_with("candidates[0].na"));
    CHECK(mistake_after([](Record& f) {
              f.candidates[0].unit.value.main_pid = -5;
          }).starts_with("candidates[0].unit"));
    CHECK(mistake_after([](Record& f) {
              f.candidates[0].standard_input.value.holders = {7, -1};
          }) == "candidates[0].standard_input.value.holders[1] (expected the pid of a process)");
    CHECK(mistake_after([](Record& f) { f.claims[0].named.value.pid = 141; }) ==
          "claims[0].named.value.pid (expected the pid that the claim names)");
    CHECK(mistake_after([](Record& f) {
              f.claims[0].spawner = -1;
          }).starts_with("claims[0].spawner"));
    CHECK(mistake_after([](Record& f) {
              f.claims[0].spawner = 50;
              f.claims[0].spawner_row = scanner::Reading<scanner::ProcessRow>::of(f.relatives[0]);
          }).starts_with("claims[0].spawner_row.value.pid"));
    CHECK(mistake_after([](Record& f) {
              f.machine.ticks_per_second = 0;
          }).starts_with("machine.ticks_per_second"));
    CHECK(mistake_after([](Record& f) {
              f.machine.now_ticks = ~0ULL;
          }).starts_with("machine.now_ticks"));
    CHECK(mistake_after([](Record& f) {
              f.machine.now_epoch = -1e308;
          }).starts_with("machine.now_epoch"));
    CHECK(mistake_after([](Record& f) { f.machine.self = -7; }).starts_with("machine.self"));
    CHECK(mistake_after([](Record& f) {
              f.machine.own_ancestors = {0};
          }).starts_with("machine.own_ancestors[0]"));
    CHECK(mistake_after([](Record& f) { f.count.seen = ~0ULL; }).starts_with("count.seen"));
    CHECK(mistake_after([](Record& f) { f.unread = {-1}; }).starts_with("unread[0]"));
    CHECK(mistake_after([](Record& f) { f.wrappers = {0}; }).starts_with("wrappers[0]"));
    CHECK(mistake_after([](Record& f) {
              f.keepalives = {{1000, "bridge", "/h", -1, 0, "x", 3, ~0ULL}};
          }).starts_with("keepalives[0].host"));
}

TEST_CASE("a file of facts that contradict themselves is refused by name and place") {
    const TemporaryFolder folder;
    Record facts = scanner::facts_from_json(golden()).value();
    facts.candidates[0].identity.pid = 4711;
    folder.write("facts.json", scanner::facts_to_json(facts));
    const auto read = agent::read_facts(folder / "facts.json");
    REQUIRE_FALSE(read);
    CHECK(read.error().subject ==
          folder / "facts.json: candidates[0].identity.pid (expected the pid of its row)");
}

TEST_CASE("whatever mutated facts say, they are judged, planned and reported") {
    const auto rules = policy::built_in_rules();
    const auto tree = nlohmann::json::parse(golden());
    FactsMutator mutator(20261119);
    int read = 0;
    int refused = 0;
    for (int round = 0; round < 200; ++round) {
        nlohmann::json mutated = tree;
        mutator.mutate(mutated);
        const auto facts = scanner::facts_from_json(mutated.dump());
        if (!facts) continue;
        ++read;
        if (!scanner::check(*facts)) ++refused;
        INFO(mutated.dump());
        REQUIRE_FALSE(judge_and_report(*facts, rules).empty());
        REQUIRE(is_plan_sound(*facts, rules));
    }
    CHECK(read > 80);
    CHECK(refused > 10);
    CHECK(read - refused > 30);
}

}  // namespace reaper::test
