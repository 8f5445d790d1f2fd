#include "agent/history/writer.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

namespace reaper::agent {

namespace {

using nlohmann::json;
using test::TemporaryFolder;

Target some_target() {
    auto handle = scanner::PidHandle::open(::getpid());
    REQUIRE(handle);
    policy::Judgement step;
    step.identity.pid = 4711;
    step.family = "bridge";
    step.home = "/home/u/\xff";
    step.verdict = policy::Verdict::orphan;
    step.action = policy::Action::reap;
    step.evidence = {{"parent.adopter", policy::Weight::for_kill, "parent is init (pid 1)"}};
    scanner::ProcessFacts facts;
    facts.row.start_ticks = 20931;
    facts.row.command_line =
        scanner::Reading<scanner::CommandLine>::of({{"node", "--token=secret"}, false});
    facts.user = "u";
    facts.rss_bytes = 4096;
    facts.swap_bytes = 512;
    return {step, std::move(*handle), facts, {12, 5, {"/usr/bin/hermes", "serve"}}};
}

std::vector<json> lines_of(const std::string& path) {
    std::ifstream file(path);
    std::vector<json> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(json::parse(line));
    return lines;
}

std::string text_of(int fd) {
    std::string text(4096, ' ');
    const ssize_t got = ::pread(fd, text.data(), text.size(), 0);
    return text.substr(0, got < 0 ? 0 : static_cast<std::size_t>(got));
}

Fd temporary_file(const TemporaryFolder& folder) {
    return Fd(
        ::open((folder.path() + "/told").c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
}

}  // namespace

TEST_CASE("a decision is on file before the signal, and its end after it") {
    const TemporaryFolder folder;
    const Target target = some_target();
    HistoryWriter history(HistoryUse::keep, folder.path() + "/state", {});
    REQUIRE(history.about_to_signal(target, Signal::terminate));
    const std::string path = folder.path() + "/state/history.jsonl";
    auto lines = lines_of(path);
    REQUIRE(lines.size() == 1);
    CHECK(lines[0]["event"] == "signal");
    CHECK(lines[0]["signal"] == "TERM");
    CHECK(lines[0]["pid"] == 4711);
    CHECK(lines[0]["verdict"] == "orphan");
    CHECK(lines[0]["evidence"] == json({"parent.adopter"}));
    CHECK(lines[0]["reason"] == "parent is init (pid 1)");
    CHECK(lines[0]["identity"] == to_string(target.step.identity));
    CHECK(lines[0]["start_ticks"] == 20931);
    CHECK(lines[0]["user"] == "u");
    CHECK(lines[0]["host"] == 12);
    CHECK(lines[0]["host_start_ticks"] == 5);
    CHECK(lines[0]["host_argv"] == json({"/usr/bin/hermes", "serve"}));
    CHECK(lines[0]["ticks"] > 0);
    CHECK(lines[0]["argv"].dump().find("secret") == std::string::npos);
    REQUIRE(history.about_to_signal(target, Signal::resume));
    CHECK(lines_of(path).size() == 1);
    Outcome outcome;
    outcome.result = OutcomeResult::ended_on_term;
    outcome.signals = {Signal::terminate};
    history.ended(target, outcome);
    lines = lines_of(path);
    REQUIRE(lines.size() == 2);
    CHECK(lines[1]["event"] == "ended");
    CHECK(lines[1]["result"] == "ended_on_term");
    CHECK(lines[1]["rss_bytes"] == 4096);
    CHECK(lines[1]["swap_bytes"] == 512);
    CHECK(lines[0]["swap_bytes"] == 512);
    struct stat status{};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
    CHECK(history.complaint().empty());
}

TEST_CASE("a line says what wrote it, and a later process with that pid is another one") {
    const TemporaryFolder folder;
    HistoryWriter history(HistoryUse::keep, folder.path(), {});
    REQUIRE(history.about_to_signal(some_target(), Signal::terminate));
    const auto read = read_history(folder.path());
    REQUIRE(read);
    Program by = read->events.front().by;
    CHECK(by.pid == ::getpid());
    CHECK(still_runs(by));
    CHECK(by.identity.find(fmt::format(":{}:", by.pid)) != std::string::npos);
    by.identity.back() = by.identity.back() == '1' ? '2' : '1';
    CHECK_FALSE(still_runs(by));
    CHECK(still_runs({by.pid, ""}));  // an older program's line
    CHECK_FALSE(still_runs({4'000'000, ""}));
}

TEST_CASE("what is no text is read again as it was") {
    const TemporaryFolder folder;
    Target target = some_target();
    target.host.argv = {"/usr/bin/\xe9", "{\"hex\":\"00\"}"};
    HistoryWriter history(HistoryUse::keep, folder.path(), {});
    REQUIRE(history.about_to_signal(target, Signal::terminate));
    const auto read = read_history(folder.path());
    REQUIRE(read);
    REQUIRE(read->events.size() == 1);
    CHECK(read->events.front().home == target.step.home);
    CHECK(read->events.front().host_argv == target.host.argv);
    History broken;
    add_lines(
        R"({"schema":"orphan-reaper/history/1","at":"2026-01-31T12:00:00Z","event":"signal","home":{"hex":"e"}})",
        "f", broken);
    REQUIRE(broken.events.size() == 1);
    CHECK(broken.events.front().home.empty());
}

TEST_CASE("the removal of a file is on file before and after it, with what the file said") {
    const TemporaryFolder folder;
    HistoryWriter history(HistoryUse::keep, folder.path() + "/state", {});
    scanner::ClaimFile file;
    file.kind = scanner::ClaimKind::gateway_pid;
    file.path = "/home/u/.hermes/gateway.pid";
    file.text = "77\n";
    policy::FileJudgement judgement;
    judgement.reason = "no process has pid 77";
    judgement.evidence = {{"pid.gone", policy::Weight::for_kill, "no process has pid 77"}};
    REQUIRE(history.about_to_remove(file, judgement));
    history.removed(file, {RemovalResult::removed, {}});
    history.removed(file, {RemovalResult::refused, {}});
    const auto lines = lines_of(folder.path() + "/state/history.jsonl");
    REQUIRE(lines.size() == 2);
    CHECK(lines[0]["event"] == "remove");
    CHECK(lines[0]["path"] == file.path);
    CHECK(lines[0]["kind"] == "gateway");
    CHECK(lines[0]["text"] == "77\n");
    CHECK(lines[0]["evidence"] == json({"pid.gone"}));
    CHECK(lines[1]["event"] == "removed");
    CHECK(lines[1]["result"] == "removed");
    const Fd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
    HistoryWriter mute(HistoryUse::keep, "/dev/null/nowhere", {full.get(), false});
    CHECK_FALSE(mute.about_to_remove(file, judgement));
}

TEST_CASE(
    "where the file cannot be written the decision is told, and where it cannot be told it is "
    "refused") {
    const TemporaryFolder folder;
    const Target target = some_target();
    const std::string file_in_the_way = folder.path() + "/file";
    std::ofstream(file_in_the_way) << "x";
    const Fd told = temporary_file(folder);
    HistoryWriter telling(HistoryUse::keep, file_in_the_way, {told.get(), false});
    CHECK_FALSE(telling.complaint().empty());
    CHECK(telling.about_to_signal(target, Signal::kill));
    CHECK(text_of(told.get()).find("KILL to pid 4711 (bridge, orphan, /home/u/\\xff)") !=
          std::string::npos);
    const Fd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
    HistoryWriter mute(HistoryUse::keep, file_in_the_way, {full.get(), false});
    CHECK_FALSE(mute.about_to_signal(target, Signal::kill));
    HistoryWriter wished_away(HistoryUse::none, file_in_the_way, {full.get(), false});
    CHECK(wished_away.about_to_signal(target, Signal::kill));
}

TEST_CASE(
    "what was announced is concluded, even if nothing was sent, and what was not is not "
    "mentioned") {
    const TemporaryFolder folder;
    HistoryWriter history(HistoryUse::keep, folder.path(), {});
    Outcome outcome;
    outcome.result = OutcomeResult::already_gone;
    history.ended(some_target(), outcome);
    CHECK(lines_of(folder / "history.jsonl").empty());
    REQUIRE(history.about_to_signal(some_target(), Signal::terminate));
    history.ended(some_target(), outcome);
    history.ended(some_target(), outcome);
    const auto lines = lines_of(folder / "history.jsonl");
    REQUIRE(lines.size() == 2);
    CHECK(lines[1]["result"] == "already_gone");
}

TEST_CASE("an end that cannot be written is told") {
    const TemporaryFolder folder;
    const Fd told = temporary_file(folder);
    HistoryWriter history(HistoryUse::keep, "/dev/null/nowhere", {told.get(), false});
    REQUIRE(history.about_to_signal(some_target(), Signal::terminate));
    Outcome outcome;
    outcome.result = OutcomeResult::ended_on_term;
    history.ended(some_target(), outcome);
    CHECK(text_of(told.get()).find("orphan-reaper: pid 4711: ended on TERM after ") !=
          std::string::npos);
}

TEST_CASE("what came again is on file, with what started it, as far as that is known") {
    const TemporaryFolder folder;
    HistoryWriter history(HistoryUse::keep, folder.path(), {});
    Event ended;
    ended.pid = 4711;
    ended.identity = "b:1:4711:t9";
    ended.family = "bridge";
    Event newcomer;
    newcomer.pid = 4800;
    newcomer.identity = "b:1:4800:t12";
    history.respawned({ended, newcomer});
    newcomer.host = 12;
    newcomer.host_start_ticks = 5;
    newcomer.host_argv = {"/usr/bin/hermes", "serve"};
    history.respawned({ended, newcomer});
    const auto lines = lines_of(folder / "history.jsonl");
    REQUIRE(lines.size() == 2);
    CHECK_FALSE(lines[0].contains("host"));
    CHECK(lines[1]["event"] == "respawned");
    CHECK(lines[1]["pid"] == 4711);
    CHECK(lines[1]["identity"] == ended.identity);
    CHECK(lines[1]["respawned_as"] == 4800);
    CHECK(lines[1]["respawned_identity"] == newcomer.identity);
    CHECK(lines[1]["host"] == 12);
    CHECK(lines[1]["host_start_ticks"] == 5);
    CHECK(lines[1]["host_argv"] == json({"/usr/bin/hermes", "serve"}));
}

TEST_CASE("a link in the place of the history is not followed") {
    const TemporaryFolder folder;
    const std::string other = folder.path() + "/other";
    std::ofstream(other) << "precious";
    REQUIRE(::symlink(other.c_str(), (folder.path() + "/history.jsonl").c_str()) == 0);
    const Fd told = temporary_file(folder);
    HistoryWriter history(HistoryUse::keep, folder.path(), {told.get(), false});
    CHECK(history.about_to_signal(some_target(), Signal::terminate));
    CHECK_FALSE(history.complaint().empty());
    std::ostringstream left;
    left << std::ifstream(other).rdbuf();
    CHECK(left.str() == "precious");
}

TEST_CASE("a terminal is not told what the report will say, but a journal is") {
    const TemporaryFolder folder;
    const Fd told = temporary_file(folder);
    HistoryWriter quiet(HistoryUse::keep, folder.path() + "/a", {told.get(), false});
    REQUIRE(quiet.about_to_signal(some_target(), Signal::terminate));
    CHECK(text_of(told.get()).empty());
    HistoryWriter loud(HistoryUse::keep, folder.path() + "/b", {told.get(), true});
    REQUIRE(loud.about_to_signal(some_target(), Signal::terminate));
    CHECK_FALSE(text_of(told.get()).empty());
}

TEST_CASE("The lines about a process say what asked for its end") {
    const TemporaryFolder folder;
    const Target target = some_target();
    HistoryWriter writer(HistoryUse::keep, folder.path(), {}, "claude-code");
    REQUIRE(writer.about_to_signal(target, Signal::terminate));
    writer.ended(target, Outcome{});
    HistoryWriter other(HistoryUse::keep, folder.path(), {});
    REQUIRE(other.about_to_signal(target, Signal::terminate));
    const auto lines = lines_of(folder.path() + "/history.jsonl");
    REQUIRE(lines.size() == 3);
    CHECK(lines[0].value("from", "") == "claude-code");
    CHECK(lines[1].value("from", "") == "claude-code");
    CHECK_FALSE(lines[2].contains("from"));
    const auto history = read_history(folder.path());
    REQUIRE(history);
    CHECK(history->events.front().from == "claude-code");
    CHECK(history->events.back().from.empty());
}

}  // namespace reaper::agent
