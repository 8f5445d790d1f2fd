// Facts out of one machine and into another: the same verdicts come out.
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "agent/commands/commands.hpp"
#include "agent/redaction/facts_file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/facts_builder.hpp"
#include "tests/support/temporary_folder.hpp"

namespace reaper::agent {

namespace {

std::string text_of(const std::string& path) {
    std::ifstream file(path);
    INFO(path);
    REQUIRE(file.good());
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

std::string data(const std::string& name) {
    return std::string(REAPER_TEST_DATA) + "/" + name;
}

Setup built_in() {
    Setup setup;
    setup.rules = policy::built_in_rules();
    return setup;
}

Report replay(const Options& options) {
    auto report = run_replay(options, options, built_in());
    REQUIRE(report);
    conclude(*report);
    return *std::move(report);
}

Options from(const std::string& path) {
    Options options;
    options.from_facts = path;
    return options;
}

}  // namespace

// machine.txt is `orphan-reaper --from-facts machine.json`, in no time ("0 ms").
TEST_CASE("a golden machine is judged as it always was") {
    Report report = replay(from(data("facts/machine.json")));
    CHECK(report.scope_words == "--from-facts " + data("facts/machine.json"));
    report.scope_words = "--from-facts machine.json";
    CHECK(report.uids == std::vector<scanner::Uid>{1000});
    CHECK(render_text(report, {}) == text_of(data("facts/machine.txt")));
}

TEST_CASE("explain keeps to what was asked for") {
    Options options = from(data("facts/machine.json"));
    options.command = Command::explain;
    options.pids = {100, 7};
    const Report report = replay(options);
    REQUIRE(report.processes.size() == 1);
    CHECK(report.processes.front().facts.row.pid == 100);
    CHECK(report.remarks.back() == "pid 7: these facts do not say what it is");
}

TEST_CASE("facts are written for their owner's eyes, whole, and without secrets") {
    const test::TemporaryFolder folder;
    test::FactsBuilder builder;
    builder.orphan_bridge(100);
    test::add_argument(builder[100], "hunter2");
    const std::string path = folder / "facts.json";
    REQUIRE(write_facts(path, builder.facts(), policy::built_in_rules(), {}));
    struct stat status{};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 07777U) == 0600);
    CHECK(text_of(path).find("hunter2") == std::string::npos);
    folder.write("facts.json", "somebody's");
    REQUIRE(::chmod(path.c_str(), 0666) == 0);
    REQUIRE(write_facts(path, builder.facts(), policy::built_in_rules(), {}));
    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 07777U) == 0600);
    folder.link("link", path);
    CHECK_FALSE(write_facts(folder / "link", builder.facts(), policy::built_in_rules(), {}));
    CHECK_FALSE(write_facts(folder.path(), builder.facts(), policy::built_in_rules(), {}));
    CHECK(replay(from(path)).summary.to_reap == 1);
    CHECK_FALSE(
        write_facts(folder / "nowhere/facts.json", builder.facts(), policy::built_in_rules(), {}));
}

TEST_CASE("where facts cannot be written, the reason is the true one") {
    const test::TemporaryFolder folder;
    folder.link("link", folder / "target");
    const auto code_of = [](const std::string& path) {
        const auto written =
            write_facts(path, test::FactsBuilder().facts(), policy::built_in_rules(), {});
        return written ? std::error_code() : written.error().code;
    };
    CHECK(code_of("/dev/full") == std::errc::no_space_on_device);
    CHECK_FALSE(code_of("/dev/null"));
    CHECK(code_of(folder / "link") == std::errc::operation_not_supported);
    CHECK(code_of(folder.path()) == std::errc::is_a_directory);
}

TEST_CASE("what other users protect is spared wherever it is judged again") {
    const test::TemporaryFolder folder;
    test::FactsBuilder builder;
    builder.orphan_bridge(100);
    const auto verdict_with = [&](const policy::Rules& rules) {
        REQUIRE(write_facts(folder / "facts.json", builder.facts(), rules, {}));
        const Report report = replay(from(folder / "facts.json"));
        CHECK(policy::judge(builder.facts(), rules, {}, {}).front().verdict ==
              report.processes.front().judgement.verdict);
        return report.processes.front().judgement.verdict;
    };
    policy::Rules rules = policy::built_in_rules();
    CHECK(verdict_with(rules) == policy::Verdict::orphan);
    rules.protect.push_back({"p.json", {}, {}, test::kHome, test::kUser + 1});
    CHECK(verdict_with(rules) == policy::Verdict::orphan);
    rules.protect.push_back({"p.json", {}, {}, test::kHome, test::kUser});
    CHECK(verdict_with(rules) == policy::Verdict::supervised);
    rules.protect.clear();
    rules.users_with_unreadable_rules[test::kUser] = "it cannot be read";
    CHECK(verdict_with(rules) == policy::Verdict::unknown);
}

TEST_CASE("a home may be asked for by the link that members know it by") {
    const test::TemporaryFolder folder;
    test::FactsBuilder builder;
    builder.orphan_bridge(100).real_home(test::kHome, "/srv/memos");
    REQUIRE(write_facts(folder / "facts.json", builder.facts(), policy::built_in_rules(), {}));
    Options options = from(folder / "facts.json");
    const auto count = [&](const std::string& home) {
        auto setup = built_in();
        setup.settings.homes = {home};
        return run_replay(options, {}, setup).value().processes.size();
    };
    CHECK(count(test::kHome) == 1);
    CHECK(count(test::kHome + "/") == 1);
    CHECK(count("/srv/memos") == 1);
    CHECK(count("/srv/memos//") == 1);
    CHECK(count("/srv") == 1);
    CHECK(count("/srv/memo") == 0);
}

TEST_CASE("a file that is no facts is refused, by name") {
    const test::TemporaryFolder folder;
    folder.write("facts.json", "{}");
    const auto wrong = run_replay(from(folder / "facts.json"), {}, built_in());
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().subject.starts_with(folder / "facts.json: "));
    CHECK_FALSE(run_replay(from(folder / "nothing.json"), {}, built_in()));
    CHECK_FALSE(run_replay(from(folder.path()), {}, built_in()));
    folder.fifo("pipe");  // into which nothing ever writes
    const auto pipe = run_replay(from(folder / "pipe"), {}, built_in());
    REQUIRE_FALSE(pipe);
    CHECK(pipe.error().subject == folder / "pipe, which is no regular file");
}

}  // namespace reaper::agent
